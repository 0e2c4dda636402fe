// PrefetchBuffer: the tasks between being taken from the queue and being visited.
//
// A small first-in-first-out ring. A task's memory is asked for when the task enters; by the time it leaves,
// as many visits later as the ring is long, the memory has arrived.
//
// Source: Cher, Hosking and Vitek, "Software Prefetching for Mark-Sweep Garbage Collection", ASPLOS 2004.
// Owned by one worker.
#pragma once

#include <array>
#include <cstddef>

namespace jackdaw::mark {

template <typename Task, std::size_t kDepth>
class PrefetchBuffer {
  static_assert(kDepth > 0 && (kDepth & (kDepth - 1)) == 0, "the depth is a power of two");

 public:
  /// Puts `task` in. True when the ring was full: then `task` is the oldest one, which has left. O(1).
  bool exchange(Task& task) {
    const Task entering = task;
    const bool full = count_ == kDepth;
    if (full) {
      task = ring_[next_];
    } else {
      ++count_;
    }
    ring_[next_] = entering;
    next_ = (next_ + 1) % kDepth;
    return full;
  }

  [[nodiscard]] bool is_full() const { return count_ == kDepth; }
  /// Puts `task` in; there is room. O(1).
  void put(Task task) {
    const std::size_t place = next_;  // a copy: for all the compiler knows, the task is stored over next_
    next_ = (place + 1) % kDepth;
    ++count_;
    ring_[place] = task;
  }

  /// Takes the oldest task out. False when there is none. O(1).
  bool take(Task& task) {
    if (count_ == 0) return false;
    task = ring_[(next_ + kDepth - count_) % kDepth];
    --count_;
    return true;
  }

  /// Tasks held.
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::array<Task, kDepth> ring_;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace jackdaw::mark
