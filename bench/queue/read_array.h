// ReadArray: the bound of an owner with a thief: a plain array whose lines another core reads.
//
// In any queue the owner takes back lines that a thief has read. So this owner puts until its array is full,
// gets what the thief leaves it, and starts over; the thief reads the oldest tasks once in each round.
// Nothing is claimed, counted or handed over, and a task may be read while it is written: the words are
// atomic, with the cost of plain ones. Lines are prefetched ahead of the owner as in a queue in blocks.
//
// Threads: push, pop and start_over are the owner's; read is the thief's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prefetch.h"
#include "bench/queue/queue_workload.h"

namespace jackdaw::bench {

class ReadArray {
 public:
  /// An array for `capacity` tasks, of which the thief reads the first `read`.
  ReadArray(std::uint64_t capacity, std::uint64_t read) : entries_(capacity), read_(read) { start_over(); }

  bool push(QueueTask task) {
    if (cursor_ == end_) [[unlikely]] {
      if (!extend()) return false;
    }
    // Relaxed, as all here: plain accesses. The thief ignores the values that it reads.
    (cursor_++)->store(task, std::memory_order_relaxed);
    return true;
  }

  bool pop(QueueTask& task) {
    if (cursor_ == entries_.data()) [[unlikely]]
      return false;
    task = (--cursor_)->load(std::memory_order_relaxed);
    return true;
  }

  void start_over() {
    cursor_ = entries_.data();
    ask_for(0, kTasksAhead);
    end_ = cursor_;
    extend();
  }

  /// Returns the sum of the tasks that the thief reads.
  [[nodiscard]] std::uint64_t read() const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < read_; ++i) sum += entries_[i].load(std::memory_order_relaxed);
    return sum;
  }

 private:
  static constexpr std::uint64_t kTasksAtATime = 8 * base::kCacheLineBytes / sizeof(QueueTask);
  static constexpr std::uint64_t kTasksAhead = 2 * kTasksAtATime;

  bool extend() {
    const auto from = static_cast<std::uint64_t>(end_ - entries_.data());
    if (from == entries_.size()) return false;
    end_ =
        entries_.data() + (from < read_ ? std::min(from + kTasksAtATime, entries_.size()) : entries_.size());
    ask_for(from + kTasksAhead, kTasksAtATime);
    return true;
  }

  void ask_for(std::uint64_t from, std::uint64_t count) const {
    if (from < read_) base::prefetch_to_write(entries_.data() + from, std::min(count, read_ - from));
  }

  std::vector<std::atomic<QueueTask>> entries_;
  const std::uint64_t read_;
  std::atomic<QueueTask>* cursor_ = nullptr;
  std::atomic<QueueTask>* end_ = nullptr;  // the end of the prefetched room
};

/// Measures the array with the contract of measure_with_thief; the thief reads its percentage of the
/// capacity. `threads` has at least two; the caller is the owner.
QueueMeasurement measure_read_array(mark::ThreadPool& threads, const QueueLoad& load);

}  // namespace jackdaw::bench
