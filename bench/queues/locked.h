// LockedDeque: a double-ended queue behind a lock, which every other queue must beat.
//
// Owner and thieves take the same lock for every task: the owner at the back, newest first, thieves at the
// front of a ring. No steal is ever contended: a thread that comes second waits.
//
// The number of tasks is an atomic word, so that reading it takes no lock. Only the owner adds tasks, so when
// it reads zero the queue is empty: a pop from an empty queue takes no lock either.
//
// Threads: the constructor, push, pop, grant_early, offers_tasks and counters are the owner's; steal,
// steal_some, has_stealable, looks_stealable, size_hint and memory_bytes may be called by any other thread at
// any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/page_array.h"
#include "bench/queues/without_blocks.h"
#include "mark/queue/queue.h"

namespace jackdaw::bench {

template <typename TaskType>
class LockedDeque {
 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;

  /// A queue for block_count × block_size tasks. Throws std::invalid_argument when a size is out of range
  /// (BlockShape), std::bad_alloc when memory is short.
  LockedDeque(std::size_t block_count, std::size_t block_size)
      : shape_(block_count, block_size), tasks_(base::PageArray<Task>::reserve_or_throw(shape_.capacity())) {}

  LockedDeque(const LockedDeque&) = delete;
  LockedDeque& operator=(const LockedDeque&) = delete;

  /// Owner. Puts a task at the back. False when the queue is full, with nothing changed. May wait for
  /// thieves. O(1).
  bool push(Task task) {
    const std::scoped_lock lock(mutex_);
    const std::size_t size = size_hint();
    if (size == shape_.capacity()) return false;
    tasks_[place(size)] = task;
    set_size(size + 1);
    return true;
  }

  /// Owner. Takes the newest task. False when there is none. May wait for thieves. O(1).
  bool pop(Task& task) {
    if (!offers_tasks()) return false;
    const std::scoped_lock lock(mutex_);
    const std::size_t size = size_hint();
    if (size == 0) return false;
    task = tasks_[place(size - 1)];
    set_size(size - 1);
    return true;
  }

  /// Thief. Takes the oldest task. Never contended: it waits instead. O(1).
  mark::StealOutcome steal(Task& task) { return steal_some({&task, 1}).outcome; }

  /// Thief. Takes half of the tasks, rounded up, but no more than `room` has place for (at least 1), and puts
  /// them there, oldest first: all under one lock. Never contended: it waits instead. O(tasks taken).
  mark::BatchSteal steal_some(std::span<Task> room) {
    if (!has_stealable()) return {mark::StealOutcome::empty, 0};
    const std::scoped_lock lock(mutex_);
    const std::size_t size = size_hint();
    const std::size_t count = batch_of(size, room.size());
    for (std::size_t i = 0; i < count; ++i) room[i] = tasks_[place(i)];
    first_ = place(count);
    set_size(size - count);
    return {count > 0 ? mark::StealOutcome::taken : mark::StealOutcome::empty, count};
  }

  /// Any thread. Whether there are tasks: thieves reach them all. A glance: it may be out of date at once.
  [[nodiscard]] bool has_stealable() const { return size_hint() > 0; }

  /// Any thread. Whether a queue in blocks with the same number of tasks would have something in the block
  /// that `sample` picks.
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    return shape_.looks_stealable(size_hint(), sample);
  }

  /// Any thread. Returns how many tasks there were a moment ago. O(1).
  [[nodiscard]] std::size_t size_hint() const {
    // Relaxed: a hint; a thread that holds the lock reads the exact number.
    return size_.load(std::memory_order_relaxed);
  }

  /// Owner. Whether there are tasks.
  [[nodiscard]] bool offers_tasks() const { return size_hint() > 0; }

  /// Owner. False: there is nothing to grant, as thieves reach everything.
  static bool grant_early() { return false; }

  /// Owner. Returns zeros, as there are no blocks.
  static mark::QueueCounters counters() { return {}; }

  /// Any thread. Bytes that the queue holds beside itself. O(1).
  [[nodiscard]] std::size_t memory_bytes() const { return shape_.capacity() * sizeof(Task); }

 private:
  // With the lock held. Returns the place of the task that `index` others precede.
  [[nodiscard]] std::size_t place(std::size_t index) const {
    const std::size_t place = first_ + index;
    return place < shape_.capacity() ? place : place - shape_.capacity();
  }
  // With the lock held.
  // Relaxed: as in size_hint.
  void set_size(std::size_t size) { size_.store(size, std::memory_order_relaxed); }

  const BlockShape shape_;
  // It is read without the lock, so it is not on the lock's line.
  alignas(128) std::atomic<std::size_t> size_{0};
  alignas(128) std::mutex mutex_;
  const base::PageArray<Task> tasks_;
  std::size_t first_ = 0;  // the place of the oldest task
};

}  // namespace jackdaw::bench
