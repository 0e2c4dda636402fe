// WorkerStatistics: what a worker counts while it marks.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace jackdaw::mark {

/// One worker's counts in one round of marking. They have the names of OpenJDK's task queue statistics
/// (JDK-8280139) where those have the same count.
struct WorkerStatistics {
  static constexpr std::size_t kDistanceRanks = 4;

  std::uint64_t tasks_executed = 0;       ///< tasks visited: objects and slices of objects
  std::uint64_t objects_marked = 0;       ///< objects that this worker marked
  std::uint64_t references_visited = 0;   ///< non-null references found in visited objects
  std::uint64_t references_deferred = 0;  ///< references that waited for another worker's bias to end
  std::uint64_t pushes = 0;  ///< tasks put into the queue or the overflow list, stolen ones included
  std::uint64_t direct = 0;  ///< new tasks that went straight to the prefetch buffer
  std::uint64_t pops = 0;    ///< tasks taken from the worker's own queue or overflow list
  std::uint64_t steal_attempts = 0;
  std::uint64_t steals = 0;  ///< attempts that got at least one task
  /// The steals by the distance of the victim: on the thief's memory node, at the least distance of another
  /// node that has workers, at the next distance, and farther.
  std::array<std::uint64_t, kDistanceRanks> steals_by_distance{};
  std::uint64_t tasks_stolen = 0;      ///< tasks that all steals got
  std::uint64_t steals_empty = 0;      ///< attempts that found nothing
  std::uint64_t steals_contended = 0;  ///< attempts lost to another thread
  std::uint64_t longest_contended_streak = 0;
  std::uint64_t victims_refused = 0;  ///< times the victim policy refused a candidate
  std::uint64_t overflow_pushes = 0;
  std::uint64_t overflow_peak = 0;  ///< most tasks in the overflow list at once
  std::uint64_t held_peak = 0;      ///< most tasks held at once, or a little more; 0 unless asked for
  std::uint64_t visits_remote = 0;  ///< tasks visited on another memory node; 0 unless asked for
  std::uint64_t grants = 0;         ///< blocks granted to thieves
  std::uint64_t takeovers = 0;      ///< blocks taken over from thieves
  /// The time from running out of tasks to the next task or to leaving, and the time of waiting for biases to
  /// end.
  std::chrono::nanoseconds idle{0};

  /// Returns the steals whose victim was on another memory node.
  [[nodiscard]] std::uint64_t steals_remote() const { return steals - steals_by_distance[0]; }

  /// Adds another worker's counts; for peaks and streaks it keeps the larger.
  void add(const WorkerStatistics& other) {
    tasks_executed += other.tasks_executed;
    objects_marked += other.objects_marked;
    references_visited += other.references_visited;
    references_deferred += other.references_deferred;
    pushes += other.pushes;
    direct += other.direct;
    pops += other.pops;
    steal_attempts += other.steal_attempts;
    steals += other.steals;
    for (std::size_t rank = 0; rank < steals_by_distance.size(); ++rank)
      steals_by_distance[rank] += other.steals_by_distance[rank];
    tasks_stolen += other.tasks_stolen;
    steals_empty += other.steals_empty;
    steals_contended += other.steals_contended;
    longest_contended_streak = std::max(longest_contended_streak, other.longest_contended_streak);
    victims_refused += other.victims_refused;
    overflow_pushes += other.overflow_pushes;
    overflow_peak = std::max(overflow_peak, other.overflow_peak);
    held_peak = std::max(held_peak, other.held_peak);
    visits_remote += other.visits_remote;
    grants += other.grants;
    takeovers += other.takeovers;
    idle += other.idle;
  }

  /// Returns 100 × tasks stolen ÷ tasks executed, or 0 when none was executed.
  [[nodiscard]] double steal_percent() const {
    if (tasks_executed == 0) return 0.0;
    return 100.0 * static_cast<double>(tasks_stolen) / static_cast<double>(tasks_executed);
  }
};

/// Returns the sum over all workers.
inline WorkerStatistics total(std::span<const WorkerStatistics> workers) {
  WorkerStatistics sum;
  for (const WorkerStatistics& worker : workers) sum.add(worker);
  return sum;
}

}  // namespace jackdaw::mark
