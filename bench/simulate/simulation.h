// The simulation: workers mark a recorded graph, in the order of simulated time.
//
// Time and the order of the workers' steps are simulated. The workers' decisions are made by the engine's own
// code: queues, overflow list, prefetch buffer, victim policies and the measure of marks' distance
// (mark/mark_distance.h) are the real ones, in one thread. The mark loop (mark/mark_loop.h), biases
// (mark/biased_regions.h), and calls and departures of workers (mark/worker.h, mark/thread_pool.h,
// mark/searchers.h), which connect these in time, are simulated step by step.
//
// The following take time:
//  - a visit, and each reference that it finds: as one worker was measured to take on this heap, alone, in
//    the loop beside others, and in that for far marks (loop_times.h);
//  - a push and its pop, by kind of queue;
//  - lines of marks, of biases and of queues that another worker has (shared_lines.h, simulated_marks.h). The
//    owner of a BWoS queue touches the line that thieves look at when it grants and takes over blocks; that
//    of any other queue whenever it pushes and pops;
//  - a locked operation for each mark in a block of the heap whose bias the worker does not hold, as
//    measured on this heap, and taking and losing biases;
//  - steals, searches, requests for tasks, waking and being woken; and coming and going, under a lock.
//
// An event is one step of one worker: a visit, some looks for a victim, a claim. Events happen in the order
// of their times, so the same seed gives the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/simulate/costs.h"
#include "bench/simulate/recording.h"
#include "mark/marker_options.h"

namespace jackdaw::bench {

/// The time that a graph's visits take one worker, in nanoseconds.
struct VisitCosts {
  double task = 0;       ///< of a visit
  double reference = 0;  ///< of each reference that it finds, beside that
  double before = 0;     ///< of clearing the marks, before the first worker begins; awake helpers help
  std::uint32_t parts_before = 1;  ///< into which that can be divided
  /// The additional time of following a reference in the loop of a worker beside others, with near marks and
  /// with far ones. It may be negative.
  double beside = 0;
  double beside_far = 0;
  double locked_mark = 0;  ///< the additional time of setting a mark by a locked operation
  double sample = 0;       ///< the time until a mark that no other worker has set arrives
};

/// How to simulate.
struct SimulationSetup {
  /// The simulation uses its threads, blocks, block size, seed, steal batch, grant and nodes, and
  /// serial_references, before which the first worker calls no helper. There are as many processors as
  /// threads.
  mark::MarkerOptions engine;
  std::string queue;   ///< one of simulated_queue_names(); empty: the default
  std::string victim;  ///< one of AnyVictim::names(); empty: the default
  MachineCosts machine;
  QueueCosts queue_costs;
  VisitCosts visits;
  /// Helpers that were woken before the round (Marker::wake_helpers): they are called from the start.
  std::uint32_t woken = 0;
};

/// The result of a simulation. Times in nanoseconds.
struct SimulationResult {
  double time = 0;         ///< of the whole
  double termination = 0;  ///< the part after the last worker ran out of tasks
  double idle =
      0;  ///< sum over the workers that took part: from running out of tasks to the next task or the end
  std::uint64_t tasks = 0;
  std::uint64_t references = 0;
  std::uint64_t pushes = 0;
  std::uint64_t steal_attempts = 0;
  std::uint64_t steals = 0;
  std::uint64_t steals_remote = 0;  ///< those from a worker on another node
  std::uint64_t steals_contended = 0;
  std::uint64_t tasks_stolen = 0;
  std::uint32_t helpers = 0;         ///< workers that took part, beside the first
  std::uint32_t useful_helpers = 0;  ///< those that will be woken for the next round

  /// Returns 100 × stolen tasks ÷ tasks.
  [[nodiscard]] double steal_percent() const {
    return tasks == 0 ? 0 : 100.0 * static_cast<double>(tasks_stolen) / static_cast<double>(tasks);
  }
  /// Returns 100 × remote steals ÷ steals.
  [[nodiscard]] double remote_percent() const {
    return steals == 0 ? 0 : 100.0 * static_cast<double>(steals_remote) / static_cast<double>(steals);
  }
};

/// Returns the queues that can be simulated, which are all that serve thieves, the default first.
std::vector<std::string_view> simulated_queue_names();

/// Simulates one round of marking. O((tasks + references + looks) × log workers) time, where looks are those
/// of idle workers; some bytes for each node, and queues for each worker. Throws std::invalid_argument for an
/// unknown name or a number out of range, and std::bad_alloc.
SimulationResult simulate(const Recording& recording, const SimulationSetup& setup);

/// Simulates a heap that is marked repeatedly: a round, and another in which the helpers that were useful in
/// it are woken, as by Marker. Returns the second; `setup.woken` is ignored. It takes twice the time and the
/// same memory.
SimulationResult simulate_repeated(const Recording& recording, SimulationSetup setup);

}  // namespace jackdaw::bench
