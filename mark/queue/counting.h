// CountingQueue: any queue, and how many tasks its owner has in it.
//
// Made for measuring (jackdaw mark --bounds): the sum would show in the mark loop's time, so only engines
// made to tell it keep it. What the queue itself promises, and who may call what from which thread, stays as
// it is. The count is the owner's alone.
//
// Thieves do not report what they take, as that would be a shared write for every steal. So tasks stolen
// since the queue was last seen empty are still counted: the count is an upper bound, and exact while nothing
// was stolen since. It starts afresh whenever a pop fails, for then the queue is empty.
#pragma once

#include <concepts>
#include <cstdint>

#include "mark/queue/queue.h"

namespace jackdaw::mark {

template <StealableQueue Queue>
class CountingQueue final : public Queue {
 public:
  using Task = typename Queue::Task;
  using Queue::Queue;

  /// Owner. As the queue's.
  bool push(Task task) {
    if (!Queue::push(task)) return false;
    ++task_count_;
    return true;
  }

  /// Owner. As the queue's.
  bool pop(Task& task) {
    if (!Queue::pop(task)) {
      task_count_ = 0;
      return false;
    }
    --task_count_;
    return true;
  }

  /// Owner. Tasks in the queue, and those stolen since it was last seen empty. O(1).
  [[nodiscard]] std::uint64_t task_count() const { return task_count_; }

 private:
  alignas(128) std::uint64_t task_count_ = 0;  // on a line that no thief reads
};

/// A queue that tells its owner how many tasks it holds at most.
template <typename Queue>
concept CountsTasks = StealableQueue<Queue> && requires(const Queue& queue) {
  { queue.task_count() } -> std::same_as<std::uint64_t>;
};

}  // namespace jackdaw::mark
