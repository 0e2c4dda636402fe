// SimulatedWorker: what a worker of a simulated round has for itself.
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

/// All but its queue.
struct SimulatedWorker {
  enum class State : std::uint8_t {
    away,       ///< not come yet, gone, or on its way
    alone,      ///< marking, before others were called
    marking,    ///< beside others
    searching,  ///< for a victim
    claiming,   ///< what it has seen in a victim's queue
    watching,   ///< the master: polls, ever again
  };

  SimulatedWorker(const mark::VictimSetup& victim_setup, std::string_view victim_name)
      : index(victim_setup.self), victim(victim_setup, victim_name), random(victim_setup.seed) {}

  [[nodiscard]] bool is_awake() const { return state != State::away; }
  /// Whether it asks for marks ahead.
  [[nodiscard]] bool is_far() const { return state != State::alone && distance.is_far(); }
  /// Whether the processor foresees that a mark is new or is not: as its simplest predictor of branches,
  /// which changes its mind when it was wrong twice.
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
  int newness = 0;  ///< of the marks it has seen last: from 2 on it expects new ones
  /// Visits until the prefetch buffer may be filled up again; 0 while far.
  std::size_t left_of_batch = 0;
  /// Visits until it polls at the end of a batch.
  std::uint32_t visits_until_look = mark::kVisitsBetweenPolls;
  std::uint64_t references = 0;
  std::uint64_t marked = 0;
  std::uint64_t pushes = 0;
  std::uint64_t pops = 0;
  std::uint64_t poll_at = 0;        ///< references, while alone
  std::uint64_t parts = 0;          ///< of big objects, pushed
  std::uint64_t parts_polled = 0;   ///< of them, those before the last poll
  bool is_asked = false;            ///< for tasks
  std::uint32_t polls_to_look = 1;  ///< for workers that could be called
  std::uint32_t polls_between_looks = 1;
  double idle_since = 0;
  AnyVictim victim;
  mark::RandomNumbers random;
  std::uint64_t choices_left = 0;  ///< of a search
  std::optional<mark::VictimChoice> choice;
  std::uint64_t claims_seen = 0;  ///< of the chosen victim, when its queue was looked at
  double waits_left = 0;          ///< of a master
};

/// And with its tasks.
template <typename Queue>
struct WorkerWithTasks : SimulatedWorker {
  WorkerWithTasks(const mark::VictimSetup& victim_setup, const SimulationSetup& setup)
      : SimulatedWorker(victim_setup, setup.victim),
        queue(setup.engine.tuning.blocks, setup.engine.tuning.block_size) {}

  Queue queue;
  std::uint64_t claims = 0;  ///< that thieves made of the queue
  mark::OverflowList<RecordedNode> overflow;
  mark::PrefetchBuffer<RecordedNode, mark::kPrefetchDepth> prefetched;
};

}  // namespace jackdaw::bench
