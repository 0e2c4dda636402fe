// PrefetchBuffer: the tasks between being taken from the queue and being visited.
//
// It is a small first-in-first-out ring. A task's memory is prefetched when the task enters; by the time the
// task leaves, a ring's length of visits later, its memory has arrived. Owned by one worker.
//
// Source: Cher, Hosking and Vitek, "Software Prefetching for Mark-Sweep Garbage Collection", ASPLOS 2004.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"

namespace jackdaw::mark {

template <typename Task, std::size_t kDepth>
class PrefetchBuffer {
  static_assert(kDepth > 0 && (kDepth & (kDepth - 1)) == 0, "the depth is a power of two");

 public:
  /// Puts `task` in. True when the ring was full: then `task` becomes the oldest one, which has left. O(1).
  bool exchange(Task& task) {
    const Task entering = task;
    const bool full = is_full();
    if (full) task = take_oldest();
    put(entering);
    return full;
  }

  [[nodiscard]] bool is_full() const { return size() == kDepth; }
  /// Whether a task's memory is prefetched when the task is put in.
  [[nodiscard]] static constexpr bool asks_on_entry() { return true; }
  /// Puts `task` into a ring that has room. O(1).
  void put(Task task) {
    JACKDAW_CHECK(!is_full());
    const std::uint64_t place = put_++;  // a copy, as the compiler assumes that the store may change put_
    ring_[place % kDepth] = task;
  }

  /// Takes the oldest task out. False when there is none. O(1).
  bool take(Task& task) {
    if (taken_ == put_) return false;
    task = take_oldest();
    return true;
  }
  /// Takes the oldest task out of a ring that is not empty. O(1).
  Task take_oldest() {
    JACKDAW_CHECK(size() != 0 && size() <= kDepth);
    return ring_[taken_++ % kDepth];
  }

  /// Returns the oldest task, if there is one.
  [[nodiscard]] Task oldest_task() const { return ring_[taken_ % kDepth]; }
  /// Returns the oldest tasks: at least one and at most `most`, which is no more than there are; fewer where
  /// the ring wraps around. Valid until a task is put in or taken. O(1).
  [[nodiscard]] std::span<const Task> oldest(std::size_t most) const {
    JACKDAW_CHECK(most != 0 && most <= size());
    const std::size_t first = taken_ % kDepth;
    return {ring_.data() + first, std::min(most, kDepth - first)};
  }
  /// Takes out the `count` oldest tasks.
  void drop_oldest(std::size_t count) {
    JACKDAW_CHECK(count <= size());
    taken_ += count;
  }

  /// Puts many tasks in. Nothing else may use the ring until end().
  class Filling {
   public:
    explicit Filling(PrefetchBuffer& buffer)
        : buffer_(buffer), put_(buffer.put_), full_(buffer.taken_ + kDepth) {}
    [[nodiscard]] bool is_full() const { return put_ == full_; }
    [[nodiscard]] static constexpr bool asks_on_entry() { return true; }
    void put(Task task) {
      JACKDAW_CHECK(!is_full());
      buffer_.ring_[put_++ % kDepth] = task;
    }
    void end() {
      JACKDAW_CHECK(put_ >= buffer_.put_ && put_ <= full_);
      buffer_.put_ = put_;
    }

   protected:
    PrefetchBuffer& buffer_;
    std::uint64_t put_;  // kept here, as the compiler must assume that storing a task changes the buffer's
    std::uint64_t full_;
  };

  /// Puts many tasks in and takes many out, in the same way.
  class Passing : public Filling {
   public:
    using Filling::Filling;
    [[nodiscard]] std::size_t size() const { return put_ - taken(); }
    /// Returns the task that leaves after `others` others; where fewer wait, one that left earlier, or
    /// Task{}, which may be prefetched but not visited.
    [[nodiscard]] Task task_after(std::size_t others) const {
      return buffer_.ring_[(full_ + others) % kDepth];
    }
    void drop_oldest(std::size_t count) {
      JACKDAW_CHECK(count <= size());
      full_ += count;
    }
    void end() {
      Filling::end();
      buffer_.taken_ = taken();
    }
    /// Continues after end(), with what was put in since.
    void begin() {
      JACKDAW_CHECK(taken() == buffer_.taken_);
      put_ = buffer_.put_;
    }

   protected:
    using Filling::buffer_;
    using Filling::full_;
    using Filling::put_;

    // The oldest task's place, taken() % kDepth, is full_ % kDepth: a loop keeps one number for both.
    [[nodiscard]] std::uint64_t taken() const { return full_ - kDepth; }
  };

  /// A Passing that prefetches on entry only the tasks that leave soon.
  class Exchanging : public Passing {
   public:
    explicit Exchanging(PrefetchBuffer& buffer) : Passing(buffer), asked_(Passing::full_) {}
    /// Has the `first` tasks that leave next prefetched when they enter.
    void ask_on_entry(std::size_t first) { asked_ = Passing::taken() + first; }
    [[nodiscard]] bool asks_on_entry() const { return Passing::put_ < asked_; }

   private:
    std::uint64_t asked_;
  };

  /// Returns the number of tasks.
  [[nodiscard]] std::size_t size() const { return put_ - taken_; }
  /// Returns the number of tasks ever put in.
  [[nodiscard]] std::uint64_t put_so_far() const { return put_; }

 private:
  std::array<Task, kDepth> ring_{};
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace jackdaw::mark
