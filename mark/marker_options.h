// MarkerOptions: how a marking engine is set up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "mark/queue/block_ring.h"

namespace jackdaw::mark {

class TimeLine;

/// When an owner gives tasks to idle thieves.
enum class Grant : std::uint8_t {
  early,  ///< also from the block that it works in, when thieves ask and nothing is stealable
  full,   ///< only whole blocks, as it leaves them (BWoS as published)
};

/// Parameters that comparisons and tests vary. Programs that embed an engine leave them as they are.
struct Tuning {
  static constexpr std::uint64_t kSerialReferences = 8192;
  static constexpr std::uint64_t kSmallRoundReferences = 32768;

  /// The most blocks of each worker's queue; fewer where addresses are scarce. Unused ones take addresses but
  /// no memory.
  std::size_t blocks = BlockRing::kDefaultBlockCount;
  std::size_t block_size = BlockRing::kDefaultBlockSize;  ///< the tasks in a block
  std::size_t steal_batch = 1;  ///< the most tasks that a thief takes at once; at least 1
  Grant grant = Grant::early;
  /// The references that the first worker follows alone before it calls helpers, one by one as there is work,
  /// and no more than there are processors. Helpers woken by Marker::wake_helpers begin with it. 0: all
  /// workers begin at once, however many.
  std::uint64_t serial_references = kSerialReferences;
  /// If the largest round of the last marking followed fewer references than this, one worker marks until a
  /// trial has shown that several are faster (mark/team_benefit.h): waking a helper takes some ten
  /// microseconds.
  std::uint64_t small_round_references = kSmallRoundReferences;
  /// Whether the statistics include held_peak and, for a PlacedObjectModel, visits_remote. It takes a little
  /// time.
  bool count_visits = false;
};

/// The options of a Marker; by default it has one worker.
struct MarkerOptions {
  std::uint32_t threads = 1;  ///< workers, the collecting thread included: 1 to 1024
  /// The number of usable processors, by control group and affinity (machine/usable_processors.h); 0: all of
  /// the machine. No more workers take part, unless all begin at once.
  std::uint32_t processors = 0;
  std::uint64_t seed = 1;  ///< for choosing victims
  /// The most tasks of a worker's overflow list. When it is full, tasks are dropped and mark() returns false.
  std::size_t overflow_limit = std::numeric_limits<std::size_t>::max();
  /// The memory node of each worker, at least `threads` of them; empty: all are on one. The first worker is
  /// the thread that calls Marker::mark; it counts as on its node wherever it runs, for choosing victims and
  /// in the statistics.
  std::vector<std::uint32_t> nodes = {};
  /// The distances between nodes, as in VictimSetup; empty: all are equal.
  std::vector<std::uint32_t> node_distances = {};
  /// Called once by each helper thread, with its worker number, before its first round. May be empty.
  std::function<void(std::uint32_t)> on_helper_start = {};
  /// Records what workers do, and when (mark/time_line.h); must have room for `threads` of them and outlive
  /// the engine. Null: nothing is recorded.
  TimeLine* time_line = nullptr;
  Tuning tuning = {};
};

}  // namespace jackdaw::mark
