// TbbQueue: oneTBB's concurrent_queue as a StealableQueue, first in, first out, for comparison.
//
// oneTBB does not offer its work-stealing deques. With the queue that it offers, an owner gets as a thief
// steals. It has no bound: its user reads its size.
//
// Threads: any thread may call anything at any time.
#pragma once

#include <oneapi/tbb/concurrent_queue.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bench/queues/without_blocks.h"
#include "mark/queue/queue.h"

namespace jackdaw::bench {

template <typename TaskType>
class TbbQueue {
 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;

  /// Throws std::invalid_argument when a size is out of range.
  TbbQueue(std::size_t block_count, std::size_t block_size) : shape_(block_count, block_size) {}

  /// Puts a task at the back. Always true; throws std::bad_alloc.
  bool push(Task task) {
    queue_.push(task);
    return true;
  }

  /// Takes the oldest task. False when there is none.
  bool pop(Task& task) { return queue_.try_pop(task); }

  /// Takes the oldest task. Never contended: the queue tries again by itself.
  mark::StealOutcome steal(Task& task) {
    return queue_.try_pop(task) ? mark::StealOutcome::taken : mark::StealOutcome::empty;
  }

  /// Takes half of the tasks, one after another.
  mark::BatchSteal steal_some(std::span<Task> room) {
    return claim_one_by_one(room, size_hint(), [this](Task& task) { return steal(task); });
  }

  [[nodiscard]] bool has_stealable() const { return !queue_.empty(); }
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    return shape_.looks_stealable(size_hint(), sample);
  }
  [[nodiscard]] std::size_t size_hint() const { return queue_.unsafe_size(); }
  [[nodiscard]] bool offers_tasks() const { return has_stealable(); }
  static bool grant_early() { return false; }
  static mark::QueueCounters counters() { return {}; }
  [[nodiscard]] std::size_t memory_bytes() const { return size_hint() * sizeof(Task); }

 private:
  const BlockShape shape_;
  // Its pages come from the general allocator, so that sanitizers see them.
  oneapi::tbb::concurrent_queue<Task, std::allocator<Task>> queue_;
};

}  // namespace jackdaw::bench
