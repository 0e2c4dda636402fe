// SequentialLifo: an array used as a stack, which no concurrent last-in-first-out queue can beat.
//
// It is for one worker: no second thread may touch it, but the answers that thieves get
// (bench/queues/owner_only.h) touch nothing.
//
// Invariant: floor <= cursor <= end; the tasks are [floor, cursor), newest last.
#pragma once

#include <cstddef>

#include "base/page_array.h"
#include "bench/queues/owner_only.h"
#include "bench/queues/without_blocks.h"

namespace jackdaw::bench {

template <typename TaskType>
class SequentialLifo : public OwnerOnly<TaskType> {
 public:
  using Task = TaskType;

  /// A stack for block_count × block_size tasks. Throws std::invalid_argument when a size is out of range
  /// (BlockShape), std::bad_alloc when memory is short.
  SequentialLifo(std::size_t block_count, std::size_t block_size)
      : entries_(base::PageArray<Task>::reserve_or_throw(BlockShape(block_count, block_size).capacity())),
        cursor_(entries_.data()),
        floor_(cursor_),
        end_(cursor_ + block_count * block_size) {}

  SequentialLifo(const SequentialLifo&) = delete;
  SequentialLifo& operator=(const SequentialLifo&) = delete;

  /// Owner. Puts a task on top. False when the stack is full, with nothing changed. O(1).
  bool push(Task task) {
    if (cursor_ == end_) [[unlikely]]
      return false;
    *cursor_++ = task;
    return true;
  }

  /// Owner. Takes the newest task. False when there is none. O(1).
  bool pop(Task& task) {
    if (cursor_ == floor_) [[unlikely]]
      return false;
    task = *--cursor_;
    return true;
  }

  /// Bytes that the queue holds beside itself.
  [[nodiscard]] std::size_t memory_bytes() const {
    return static_cast<std::size_t>(end_ - floor_) * sizeof(Task);
  }

 private:
  const base::PageArray<Task> entries_;
  Task* cursor_;
  Task* const floor_;
  Task* const end_;
};

}  // namespace jackdaw::bench
