// The measurements of `jackdaw queue`: the size of a queue, the operations on it, and their time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace jackdaw::bench {

/// The blocks of a queue and the tasks in each. A queue without blocks makes room for their product.
struct QueueShape {
  std::size_t blocks = 8;
  std::size_t block_size = 1024;

  [[nodiscard]] std::uint64_t capacity() const { return std::uint64_t{blocks} * block_size; }
};

/// The settings that determine how much is stolen. See queue_calibration.h.
struct ThiefPace {
  /// The most gets of the owner between two fills.
  std::uint64_t gets_per_round = std::numeric_limits<std::uint64_t>::max();
  /// The thief idles while it has this percentage of all taken tasks. 0: it never steals; 100: it never
  /// idles.
  double most_percent = 100;
};

/// One measurement to take.
struct QueueLoad {
  QueueShape shape;
  std::chrono::nanoseconds time{0};  ///< the least length
  std::size_t steal_batch = 1;       ///< tasks that a thief asks for at a time
  ThiefPace pace;                    ///< with a thief
  std::string victim;                ///< pool: a name of AnyVictim::names()
  double balancing_factor = 0;       ///< pool: tasks to steal in a round, in percent of the capacity
  std::uint64_t seed = 1;            ///< pool: of the victim policies
};

/// The operations of all threads together. Tasks are counted, not calls, except for steals that got none.
struct QueueCounts {
  std::uint64_t puts = 0;
  std::uint64_t gets = 0;
  std::uint64_t steals = 0;
  std::uint64_t steals_empty = 0;
  std::uint64_t steals_contended = 0;
  std::uint64_t left = 0;  ///< tasks that were in the queues when the time was over

  /// Returns the operations that throughput counts: those that moved a task.
  [[nodiscard]] std::uint64_t operations() const { return puts + gets + steals; }
  /// Returns 100 × stolen ÷ taken; 0 when nothing was taken.
  [[nodiscard]] double steal_percent() const {
    const std::uint64_t taken = gets + steals;
    return taken == 0 ? 0 : 100.0 * static_cast<double>(steals) / static_cast<double>(taken);
  }

  QueueCounts& operator+=(const QueueCounts& other) {
    puts += other.puts;
    gets += other.gets;
    steals += other.steals;
    steals_empty += other.steals_empty;
    steals_contended += other.steals_contended;
    left += other.left;
    return *this;
  }
};

/// The result of a QueueLoad.
struct QueueMeasurement {
  QueueCounts counts;
  std::chrono::nanoseconds wall{0};  ///< from the first thread's start to the last one's end
  std::uint32_t threads = 1;         ///< that really ran
  bool conserved = false;            ///< every task that was put came out once

  [[nodiscard]] double ns_per_op() const {
    return static_cast<double>(wall.count()) / static_cast<double>(counts.operations());
  }
};

}  // namespace jackdaw::bench
