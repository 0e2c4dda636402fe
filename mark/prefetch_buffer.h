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
#include <cstdint>

namespace jackdaw::mark {

template <typename Task, std::size_t kDepth>
class PrefetchBuffer {
  static_assert(kDepth > 0 && (kDepth & (kDepth - 1)) == 0, "the depth is a power of two");

 public:
  /// Puts `task` in. True when the ring was full: then `task` is the oldest one, which has left. O(1).
  bool exchange(Task& task) {
    const Task entering = task;
    const bool full = is_full();
    if (full) task = take_oldest();
    put(entering);
    return full;
  }

  [[nodiscard]] bool is_full() const { return size() == kDepth; }
  /// Puts `task` in; there is room. O(1).
  void put(Task task) {
    const std::uint64_t place = put_++;  // a copy: for all the compiler knows, the task is stored over put_
    ring_[place % kDepth] = task;
  }

  /// Takes the oldest task out. False when there is none. O(1).
  bool take(Task& task) {
    if (taken_ == put_) return false;
    task = take_oldest();
    return true;
  }
  /// The same when there is one.
  Task take_oldest() { return ring_[taken_++ % kDepth]; }

  /// Tasks held.
  [[nodiscard]] std::size_t size() const { return put_ - taken_; }
  /// Tasks ever put in.
  [[nodiscard]] std::uint64_t put_so_far() const { return put_; }

 private:
  std::array<Task, kDepth> ring_;
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace jackdaw::mark
