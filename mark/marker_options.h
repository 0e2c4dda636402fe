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
  early,  ///< also from the block that it works in, when thieves ask and it offers them nothing
  full,   ///< only whole blocks, as it leaves them (BWoS as published)
};

/// Parameters that comparisons and tests vary. Programs that embed an engine leave them as they are.
struct Tuning {
  static constexpr std::uint64_t kSerialReferences = 8192;
  static constexpr std::uint64_t kSmallRoundReferences = 32768;

  /// Blocks of each worker's queue, at most: fewer where addresses are scarce. Unused ones take addresses
  /// alone.
  std::size_t blocks = BlockRing::kDefaultBlockCount;
  std::size_t block_size = BlockRing::kDefaultBlockSize;  ///< tasks of each block
  std::size_t steal_batch = 1;  ///< the most tasks that a thief takes at once; at least 1
  Grant grant = Grant::early;
  /// References that the first worker follows by itself before it calls others, one by one as there is work
  /// for them, and no more of them than there are processors. Others that Marker::wake_helpers woke up begin
  /// with it. 0: all begin at once, however many.
  std::uint64_t serial_references = kSerialReferences;
  /// A heap of which the last marking followed fewer references than this, in its largest round, is marked by
  /// one worker until a trial has shown that several are faster (mark/team_benefit.h). Waking another takes
  /// some ten microseconds.
  std::uint64_t small_round_references = kSmallRoundReferences;
  /// Whether the statistics tell held_peak and, of a PlacedObjectModel, visits_remote. It takes a little
  /// time.
  bool count_visits = false;
};

struct MarkerOptions {
  std::uint32_t threads = 1;  ///< workers, the collecting thread included: 1 to 1024
  /// Number of usable processors, by control group and affinity (machine/usable_processors.h); 0: all of the
  /// machine. No more workers take part, unless all begin at once.
  std::uint32_t processors = 0;
  std::uint64_t seed = 1;  ///< of the victim choice
  /// Tasks that a worker's overflow list may hold. When it is full, tasks are dropped and mark() returns
  /// false.
  std::size_t overflow_limit = std::numeric_limits<std::size_t>::max();
  /// The memory node of each worker, at least `threads` of them; empty: all are on one. The first worker,
  /// which is whatever thread calls Marker::mark, counts as on its node wherever it runs, for its choice of
  /// victims, for others' choice of it, and in the statistics.
  std::vector<std::uint32_t> nodes = {};
  /// How far the nodes' memory is from one another, as VictimSetup says; empty: all are equally far.
  std::vector<std::uint32_t> node_distances = {};
  /// Called once by each helper thread, with its worker number, before its first round. May be empty.
  std::function<void(std::uint32_t)> on_helper_start = {};
  /// Where workers note what they do, and when (mark/time_line.h): with room for `threads` of them, and there
  /// as long as the engine is. Null: they do not.
  TimeLine* time_line = nullptr;
  Tuning tuning = {};
};

}  // namespace jackdaw::mark
