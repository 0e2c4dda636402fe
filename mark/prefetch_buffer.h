// PrefetchBuffer: the tasks between being taken from the queue and being visited.
//
// A small first-in-first-out ring. A task's memory is asked for when the task enters; by the time it leaves,
// as many visits later as the ring is long, the memory has arrived.
//
// Source: Cher, Hosking and Vitek, "Software Prefetching for Mark-Sweep Garbage Collection", ASPLOS 2004.
// Owned by one worker.
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
  /// Puts `task` in. True when the ring was full: then `task` is the oldest one, which has left. O(1).
  bool exchange(Task& task) {
    const Task entering = task;
    const bool full = is_full();
    if (full) task = take_oldest();
    put(entering);
    return full;
  }

  [[nodiscard]] bool is_full() const { return size() == kDepth; }
  /// Whether the memory of a task is asked for when it is put in.
  [[nodiscard]] static constexpr bool asks_on_entry() { return true; }
  /// Puts `task` in; there is room. O(1).
  void put(Task task) {
    JACKDAW_CHECK(!is_full());
    const std::uint64_t place = put_++;  // a copy: for all the compiler knows, the task is stored over put_
    ring_[place % kDepth] = task;
  }

  /// Takes the oldest task out. False when there is none. O(1).
  bool take(Task& task) {
    if (taken_ == put_) return false;
    task = take_oldest();
    return true;
  }
  /// Takes the oldest task out; there is one. O(1).
  Task take_oldest() {
    JACKDAW_CHECK(size() != 0 && size() <= kDepth);
    return ring_[taken_++ % kDepth];
  }

  /// The oldest task, if there is one.
  [[nodiscard]] Task oldest_task() const { return ring_[taken_ % kDepth]; }
  /// The oldest tasks, at least one and at most `most`, which are not more than there are; fewer where the
  /// ring begins anew. Valid until one is put in or taken. O(1).
  [[nodiscard]] std::span<const Task> oldest(std::size_t most) const {
    JACKDAW_CHECK(most != 0 && most <= size());
    const std::size_t first = taken_ % kDepth;
    return {ring_.data() + first, std::min(most, kDepth - first)};
  }
  /// Takes out as many of the oldest.
  void drop_oldest(std::size_t count) {
    JACKDAW_CHECK(count <= size());
    taken_ += count;
  }

  /// Puts many in, with nothing else happening to the ring until end().
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
    std::uint64_t put_;  // not in the buffer, where for all the compiler knows a task might be stored over it
    std::uint64_t full_;
  };

  /// Puts many in and takes many out, in the same way.
  class Passing : public Filling {
   public:
    explicit Passing(PrefetchBuffer& buffer) : Filling(buffer), taken_(buffer.taken_) {}
    [[nodiscard]] std::size_t size() const { return put_ - taken_; }
    /// The task that leaves after `others` others; where fewer wait, one that left earlier, or Task{}: to be
    /// prefetched, not visited.
    [[nodiscard]] Task task_after(std::size_t others) const {
      return buffer_.ring_[(taken_ + others) % kDepth];
    }
    void drop_oldest(std::size_t count) {
      JACKDAW_CHECK(count <= size());
      taken_ += count;
      full_ += count;
    }
    void end() {
      Filling::end();
      buffer_.taken_ = taken_;
    }
    /// After end(): goes on with what was put in since.
    void begin() {
      JACKDAW_CHECK(taken_ == buffer_.taken_);
      put_ = buffer_.put_;
    }

   protected:
    using Filling::buffer_;
    using Filling::full_;
    using Filling::put_;

    std::uint64_t taken_;
  };

  /// A Passing that asks on entry only for the memory of what leaves soon.
  class Exchanging : public Passing {
   public:
    explicit Exchanging(PrefetchBuffer& buffer) : Passing(buffer), asked_(Passing::full_) {}
    /// The memory of the `first` tasks that leave next is to be asked for when they enter.
    void ask_on_entry(std::size_t first) { asked_ = Passing::taken_ + first; }
    [[nodiscard]] bool asks_on_entry() const { return Passing::put_ < asked_; }

   private:
    std::uint64_t asked_;
  };

  /// Tasks held.
  [[nodiscard]] std::size_t size() const { return put_ - taken_; }
  /// Tasks ever put in.
  [[nodiscard]] std::uint64_t put_so_far() const { return put_; }

 private:
  std::array<Task, kDepth> ring_{};
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace jackdaw::mark
