// LockedDeque: a double-ended queue behind a lock. What everything else is to be better than.
//
// Owner and thieves take the same lock for every task: the owner at the back, newest first, thieves at the
// front. Nobody ever sees a contended steal; who comes second waits.
//
// How many tasks there are is mirrored in an atomic word, so that looking takes no lock. Only the owner adds
// tasks, so once its own look shows none, none there are: a pop from an empty queue takes no lock either.
//
// Threads: the constructor, push, pop, grant_early, offers_tasks and counters are the owner's; steal,
// steal_some, has_stealable, looks_stealable and size_hint may be called by any other thread at any time.
//
// Invariant: whoever holds the lock leaves size_ equal to the number of tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>
#include <span>

#include "mark/queue/queue.h"
#include "mark/queue/without_blocks.h"

namespace jackdaw::mark {

template <typename TaskType>
class LockedDeque {
 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;

  /// A queue for block_count × block_size tasks. Throws std::invalid_argument when a size is out of range
  /// (BlockShape), std::bad_alloc when memory is short.
  LockedDeque(std::size_t block_count, std::size_t block_size) : shape_(block_count, block_size) {}

  LockedDeque(const LockedDeque&) = delete;
  LockedDeque& operator=(const LockedDeque&) = delete;

  /// Owner. Puts a task at the back. False when the queue is full or there is no memory for more, with
  /// nothing changed. May wait for thieves. O(1).
  bool push(Task task) {
    const std::scoped_lock lock(mutex_);
    if (tasks_.size() == shape_.capacity()) return false;
    try {
      tasks_.push_back(task);
    } catch (const std::bad_alloc&) {
      return false;
    }
    mirror_size();
    return true;
  }

  /// Owner. Takes the newest task. False when there is none. May wait for thieves. O(1).
  bool pop(Task& task) {
    if (!offers_tasks()) return false;
    const std::scoped_lock lock(mutex_);
    if (tasks_.empty()) return false;
    task = tasks_.back();
    tasks_.pop_back();
    mirror_size();
    return true;
  }

  /// Thief. Takes the oldest task. Never contended: it waits instead. O(1).
  StealOutcome steal(Task& task) { return steal_some({&task, 1}).outcome; }

  /// Thief. Takes half of the tasks, rounded up, but no more than `room` has place for (at least 1), and puts
  /// them there, oldest first: all under one lock. Never contended: it waits instead. O(tasks taken).
  BatchSteal steal_some(std::span<Task> room) {
    if (!has_stealable()) return {StealOutcome::empty, 0};
    const std::scoped_lock lock(mutex_);
    const std::size_t count = batch_of(tasks_.size(), room.size());
    for (std::size_t i = 0; i < count; ++i) {
      room[i] = tasks_.front();
      tasks_.pop_front();
    }
    mirror_size();
    return {count > 0 ? StealOutcome::taken : StealOutcome::empty, count};
  }

  /// Any thread. Whether there are tasks: thieves reach them all. A glance: it may be out of date at once.
  [[nodiscard]] bool has_stealable() const { return size_hint() > 0; }

  /// Any thread. Whether a queue in blocks with as many tasks would have something in the block that `sample`
  /// picks.
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    return shape_.looks_stealable(size_hint(), sample);
  }

  /// Any thread. How many tasks there were a moment ago. O(1).
  [[nodiscard]] std::size_t size_hint() const {
    // Relaxed: a hint; who takes a task takes the lock.
    return size_.load(std::memory_order_relaxed);
  }

  /// Owner. Whether there are tasks.
  [[nodiscard]] bool offers_tasks() const { return size_hint() > 0; }

  /// Owner. False: nothing to grant, thieves reach everything.
  static bool grant_early() { return false; }

  /// Owner. Nothing: there are no blocks.
  static QueueCounters counters() { return {}; }

  /// Any thread. Bytes of the tasks that are in the queue; what std::deque needs for itself is not counted.
  [[nodiscard]] std::size_t memory_bytes() const { return size_hint() * sizeof(Task); }

 private:
  // With the lock held.
  void mirror_size() {
    // Relaxed: the lock orders all that is done with the tasks.
    size_.store(tasks_.size(), std::memory_order_relaxed);
  }

  const BlockShape shape_;
  // Looked at without the lock, so not on the lock's line.
  alignas(128) std::atomic<std::size_t> size_{0};
  alignas(128) std::mutex mutex_;
  std::deque<Task> tasks_;
};

}  // namespace jackdaw::mark
