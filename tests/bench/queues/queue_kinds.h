// All queues of mark/queue/ and what the tests that they share may expect of each.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bench/queues/abp.h"
#include "bench/queues/bwos_fifo.h"
#include "bench/queues/chase_lev.h"
#include "bench/queues/locked.h"
#include "bench/queues/sequential_fifo.h"
#include "bench/queues/sequential_lifo.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/queue/queue.h"
#include "tests/mark/thieves_at_work.h"

namespace jackdaw::bench {

using mark::PopOrder;
// The tasks that thieves can reach.
enum class Reach { nothing, granted_blocks, everything };
// When a push fails.
enum class Bound { capacity, capacity_at_most, memory };

// kStoresThenLoads: the owner's pop rests on a load that does not overtake the store before it.

struct AbpKind {
  using Queue = AbpDeque<std::uint64_t>;
  static constexpr auto kName = "Abp";
  static constexpr auto kOrder = PopOrder::newest_first;
  static constexpr auto kReach = Reach::everything;
  static constexpr auto kBound = Bound::capacity_at_most;
  static constexpr bool kStoresThenLoads = true;
};

struct BwosLifoKind {
  using Queue = mark::BwosLifo<std::uint64_t>;
  static constexpr auto kName = "BwosLifo";
  static constexpr auto kOrder = PopOrder::newest_first;
  static constexpr auto kReach = Reach::granted_blocks;
  static constexpr auto kBound = Bound::capacity_at_most;
  static constexpr bool kStoresThenLoads = false;
};

struct BwosFifoKind {
  using Queue = BwosFifo<std::uint64_t>;
  static constexpr auto kName = "BwosFifo";
  static constexpr auto kOrder = PopOrder::oldest_first;
  static constexpr auto kReach = Reach::granted_blocks;
  static constexpr auto kBound = Bound::capacity_at_most;
  static constexpr bool kStoresThenLoads = false;
};

struct ChaseLevKind {
  using Queue = ChaseLevDeque<std::uint64_t>;
  static constexpr auto kName = "ChaseLev";
  static constexpr auto kOrder = PopOrder::newest_first;
  static constexpr auto kReach = Reach::everything;
  static constexpr auto kBound = Bound::memory;
  static constexpr bool kStoresThenLoads = true;
};

struct LockedKind {
  using Queue = LockedDeque<std::uint64_t>;
  static constexpr auto kName = "Locked";
  static constexpr auto kOrder = PopOrder::newest_first;
  static constexpr auto kReach = Reach::everything;
  static constexpr auto kBound = Bound::capacity;
  static constexpr bool kStoresThenLoads = false;
};

struct SequentialLifoKind {
  using Queue = SequentialLifo<std::uint64_t>;
  static constexpr auto kName = "SequentialLifo";
  static constexpr auto kOrder = PopOrder::newest_first;
  static constexpr auto kReach = Reach::nothing;
  static constexpr auto kBound = Bound::capacity;
  static constexpr bool kStoresThenLoads = false;
};

struct SequentialFifoKind {
  using Queue = SequentialFifo<std::uint64_t>;
  static constexpr auto kName = "SequentialFifo";
  static constexpr auto kOrder = PopOrder::oldest_first;
  static constexpr auto kReach = Reach::nothing;
  static constexpr auto kBound = Bound::capacity;
  static constexpr bool kStoresThenLoads = false;
};

using KindsWithoutBlocks = testing::Types<AbpKind, ChaseLevKind, LockedKind>;
using AllKinds = testing::Types<AbpKind, BwosLifoKind, BwosFifoKind, ChaseLevKind, LockedKind,
                                SequentialLifoKind, SequentialFifoKind>;

// Names the cases of a typed test.
struct KindName {
  template <typename Kind>
  static std::string GetName(int) {
    return Kind::kName;
  }
};

}  // namespace jackdaw::bench
