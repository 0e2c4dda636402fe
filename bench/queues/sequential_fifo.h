// SequentialFifo: an array used as a ring, which no concurrent first-in-first-out queue can beat.
//
// It is for one worker: no second thread may touch it, but the answers that thieves get
// (bench/queues/owner_only.h) touch nothing.
//
// Invariants: the tasks are those from head up to tail, around the end, oldest first. One place stays free,
// so that head == tail means empty and never full. Positions wrap around by comparison: measured, that is as
// fast as counters under a mask, and any capacity is exact.
#pragma once

#include <cstddef>

#include "base/page_array.h"
#include "bench/queues/owner_only.h"
#include "bench/queues/without_blocks.h"

namespace jackdaw::bench {

template <typename TaskType>
class SequentialFifo : public OwnerOnly<TaskType> {
 public:
  using Task = TaskType;

  /// A ring for block_count × block_size tasks. Throws std::invalid_argument when a size is out of range
  /// (BlockShape), std::bad_alloc when memory is short.
  SequentialFifo(std::size_t block_count, std::size_t block_size)
      : entries_(base::PageArray<Task>::reserve_or_throw(BlockShape(block_count, block_size).capacity() + 1)),
        head_(entries_.data()),
        tail_(head_),
        begin_(head_),
        end_(head_ + block_count * block_size + 1) {}

  SequentialFifo(const SequentialFifo&) = delete;
  SequentialFifo& operator=(const SequentialFifo&) = delete;

  /// Owner. Puts a task at the back. False when the ring is full, with nothing changed. O(1).
  bool push(Task task) {
    Task* const next = after(tail_);
    if (next == head_) [[unlikely]]
      return false;
    *tail_ = task;
    tail_ = next;
    return true;
  }

  /// Owner. Takes the oldest task. False when there is none. O(1).
  bool pop(Task& task) {
    if (head_ == tail_) [[unlikely]]
      return false;
    task = *head_;
    head_ = after(head_);
    return true;
  }

  /// Bytes that the queue holds beside itself.
  [[nodiscard]] std::size_t memory_bytes() const {
    return static_cast<std::size_t>(end_ - begin_) * sizeof(Task);
  }

 private:
  [[nodiscard]] Task* after(Task* position) const {
    Task* const next = position + 1;
    if (next == end_) [[unlikely]]
      return begin_;
    return next;
  }

  const base::PageArray<Task> entries_;
  Task* head_;
  Task* tail_;
  Task* const begin_;
  Task* const end_;
};

}  // namespace jackdaw::bench
