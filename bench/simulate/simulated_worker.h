// SimulatedWorker: the state of a worker in a simulated round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/simulate/recording.h"
#include "bench/simulate/simulation.h"
#include "bench/victims/any.h"
#include "mark/mark_distance.h"
#include "mark/mark_loop_constants.h"
#include "mark/overflow_list.h"
#include "mark/prefetch_buffer.h"
#include "mark/random_numbers.h"

namespace jackdaw::bench {

/// All of a worker but its queue.
struct SimulatedWorker {
  enum class State : std::uint8_t {
    away,       ///< not called yet, gone, or on its way
    alone,      ///< marking, before others were called
    marking,    ///< beside others
    searching,  ///< for a victim
    claiming,   ///< tasks of the victim that it has looked at
    watching,   ///< as the master, which polls repeatedly
  };

  SimulatedWorker(const mark::VictimSetup& victim_setup, std::string_view victim_name)
      : index(victim_setup.self), victim(victim_setup, victim_name), random(victim_setup.seed) {}

  [[nodiscard]] bool is_awake() const { return state != State::away; }
  /// Whether it prefetches marks.
  [[nodiscard]] bool is_far() const { return state != State::alone && distance.is_far(); }
  /// Whether the processor predicts that a mark is new or is not, by the simplest branch predictor, which
  /// changes after two mispredictions.
  bool foresees(bool is_new) {
    const bool foreseen = (newness >= 2) == is_new;
    newness = is_new ? std::min(newness + 1, 3) : std::max(newness - 1, 0);
    return foreseen;
  }

  const std::uint32_t index;
  State state = State::away;
  double now = 0;
  mark::MarkDistance distance;
  bool samples_next_mark = false;
  int newness = 0;  ///< of the last marks: from 2 on it expects new ones
  /// The visits until the prefetch buffer may be refilled; 0 while marks are far.
  std::size_t left_of_batch = 0;
  /// The visits until it polls at the end of a batch.
  std::uint32_t visits_until_look = mark::kVisitsBetweenPolls;
  std::uint64_t references = 0;
  std::uint64_t marked = 0;
  std::uint64_t pushes = 0;
  std::uint64_t pops = 0;
  std::uint64_t poll_at = 0;        ///< references visited, while alone
  std::uint64_t parts = 0;          ///< of big objects, pushed
  std::uint64_t parts_polled = 0;   ///< those pushed before the last poll
  bool is_asked = false;            ///< for tasks
  std::uint32_t polls_to_look = 1;  ///< until it checks whether to call others
  std::uint32_t polls_between_looks = 1;
  double idle_since = 0;
  AnyVictim victim;
  mark::RandomNumbers random;
  std::uint64_t choices_left = 0;  ///< of the present search
  std::optional<mark::VictimChoice> choice;
  std::uint64_t claims_seen = 0;  ///< of the chosen victim's queue, when it was looked at
  double waits_left = 0;          ///< of the master
};

/// A worker with its queue.
template <typename Queue>
struct WorkerWithTasks : SimulatedWorker {
  WorkerWithTasks(const mark::VictimSetup& victim_setup, const SimulationSetup& setup)
      : SimulatedWorker(victim_setup, setup.victim),
        queue(setup.engine.tuning.blocks, setup.engine.tuning.block_size) {}

  Queue queue;
  std::uint64_t claims = 0;  ///< of thieves on the queue
  mark::OverflowList<RecordedNode> overflow;
  mark::PrefetchBuffer<RecordedNode, mark::kPrefetchDepth> prefetched;
};

}  // namespace jackdaw::bench
