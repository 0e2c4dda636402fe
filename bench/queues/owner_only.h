// OwnerOnly: the base of the sequential queues, which answers thieves that there is nothing to steal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mark/queue/queue.h"

namespace jackdaw::bench {

/// The thieves' half of StealableQueue, for a queue that only its owner may touch. Any thread; O(1).
template <typename TaskType>
class OwnerOnly {
 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = false;

  static mark::StealOutcome steal(Task& /*task*/) { return mark::StealOutcome::empty; }
  static mark::BatchSteal steal_some(std::span<Task> /*room*/) { return {mark::StealOutcome::empty, 0}; }
  static bool has_stealable() { return false; }
  static bool looks_stealable(std::uint64_t /*sample*/) { return false; }
  static std::size_t size_hint() { return 0; }
  static bool offers_tasks() { return false; }
  static bool grant_early() { return false; }
  static mark::QueueCounters counters() { return {}; }

 protected:
  OwnerOnly() = default;
  ~OwnerOnly() = default;
};

}  // namespace jackdaw::bench
