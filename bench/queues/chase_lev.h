// ChaseLevDeque: the dynamic circular work-stealing deque of Chase and Lev. It grows when it is full.
//
// Sources: Chase and Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005; in C11's atomics by Lê, Pop,
// Cohen and Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models", PPoPP 2013. Their
// flaws are mended: a larger array is published with release and read with acquire (Norris and Demsky,
// "CDSChecker", OOPSLA 2013), and an empty pop moves no index below zero.
//
// Task numbers only grow; those from `top` up to `bottom` are in the queue, task i in entry i mod capacity of
// an array. The owner pushes and pops at the bottom; thieves steal at the top by a compare-and-swap. The
// owner competes with thieves only for its last task: it then swaps top as they do.
//
//   bottom_  one past the newest task     owner writes, thieves read
//   top_     the oldest task              never falls; thieves move it up, and the owner for its last task
//   array_   which array                  owner writes, thieves read
//
// Capacities are powers of two, so an array is named by the logarithm of its capacity. Old arrays are kept
// until the queue is destroyed, since a thief may be about to read one; together they are smaller than the
// one in use.
//
// Invariants
//  1. top never falls, so a swap of top claims exactly the task of that number.
//  2. top_seen_ <= top. The owner writes an entry only after it has seen, in top_seen_ or by a pop, that the
//     task in it is gone, so the entry of task `top` stays as it is in every array that holds it: it may be
//     read before the claim. It looks at top_ for room only when the room that it knows of is used up
//     (Chase and Lev, §2.3).
//  3. The owner lowers bottom, then reads top; a thief reads top, then bottom. All four are sequentially
//     consistent, and so is the thieves' swap: of an owner that takes task i without a swap and a thief whose
//     claims come to i, one sees the other.
//
// Several tasks are stolen by as many claims, one after another. One swap of top by more than 1 would be
// wrong: the owner competes for its last task alone, so it may already have taken others in that range.
//
// Where Lê et al. order by fences, accesses do it here, so that a thief needs no barrier on x86 but for its
// swap. The owner pays a sequentially consistent store for every pop.
//
// Threads: the constructor, push, pop, grant_early, offers_tasks and counters are the owner's; steal,
// steal_some, has_stealable, looks_stealable, size_hint and memory_bytes may be called by any other thread at
// any time. The comment at each memory_order names the access that it pairs with.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/page_array.h"
#include "bench/queues/without_blocks.h"
#include "mark/queue/queue.h"

namespace jackdaw::bench {

/// Grows through arrays with capacities of 2^0 to 2^(kArrays - 1), no further.
template <typename TaskType, unsigned kArrays>
class GrowingChaseLevDeque {
  static_assert(std::atomic<TaskType>::is_always_lock_free, "a thief reads a task that may be overwritten");

 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;

  /// A queue for block_count × block_size tasks, rounded up to a power of two, that grows. Throws
  /// std::invalid_argument when a size is out of range (BlockShape), std::bad_alloc when memory is short.
  GrowingChaseLevDeque(std::size_t block_count, std::size_t block_size)
      : shape_(block_count, block_size),
        first_array_(static_cast<unsigned>(std::bit_width(shape_.capacity() - 1))) {
    arrays_[first_array_] = base::PageArray<std::atomic<Task>>::reserve_or_throw(capacity_of(first_array_));
    use(first_array_);
    // Relaxed: the thread that shares the queue with thieves publishes it to them.
    array_.store(first_array_, std::memory_order_relaxed);
  }

  GrowingChaseLevDeque(const GrowingChaseLevDeque&) = delete;
  GrowingChaseLevDeque& operator=(const GrowingChaseLevDeque&) = delete;

  /// Owner. Puts a task at the bottom. False when the queue cannot grow, with nothing changed. Wait-free;
  /// amortised O(1).
  bool push(Task task) {
    // Relaxed: the owner's own word.
    const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom - top_seen_ > mask_) [[unlikely]] {
      if (!make_room(bottom)) return false;
    }
    // Relaxed: the store to bottom_ publishes it; a thief that reads it too late fails to claim.
    entries_[bottom & mask_].store(task, std::memory_order_relaxed);
    // Release: pairs with the load of bottom_ in claim(), so thieves see the entry, and in which array.
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// Owner. Takes the newest task that no thief has claimed. False when there is none. Wait-free, O(1).
  bool pop(Task& task) {
    // Relaxed: the owner's own word.
    std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom == top_seen_) return false;
    --bottom;
    // Sequentially consistent: pairs with the load of bottom_ in claim(). Thieves whose look at top_ shows
    // more than the next line's see this and keep off.
    bottom_.store(bottom, std::memory_order_seq_cst);
    // Sequentially consistent: pairs with the swap and the load of top_ by thieves.
    const std::uint64_t top = top_.load(std::memory_order_seq_cst);
    if (top >= bottom) [[unlikely]] {
      if (!take_last(top, bottom)) return false;
    }
    // Relaxed: the owner's own write.
    task = entries_[bottom & mask_].load(std::memory_order_relaxed);
    return true;
  }

  /// Thief. Claims the oldest task. Lock-free, O(1).
  mark::StealOutcome steal(Task& task) {
    std::uint64_t top = look();
    return claim(top, task);
  }

  /// Thief. Claims half of the tasks, rounded up, but no more than `room` has place for (at least 1), and
  /// puts them there, oldest first: one claim for each, until one fails. Lock-free, O(tasks claimed).
  mark::BatchSteal steal_some(std::span<Task> room) {
    std::uint64_t top = look();
    return claim_one_by_one(room, size_hint(), [&](Task& task) { return claim(top, task); });
  }

  /// Any thread. Whether there are tasks: thieves reach them all. A glance: it may be out of date at once.
  [[nodiscard]] bool has_stealable() const { return size_hint() > 0; }

  /// Any thread. Whether a queue in blocks with the same number of tasks would have something in the block
  /// that `sample` picks; with more tasks than such blocks hold, always. Touches two cache lines that change.
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    return shape_.looks_stealable(size_hint(), sample);
  }

  /// Any thread. About how many tasks there are. O(1).
  [[nodiscard]] std::size_t size_hint() const {
    // Relaxed, both: a hint; nothing is read on the strength of it.
    const std::uint64_t top = top_.load(std::memory_order_relaxed);
    const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    return bottom > top ? bottom - top : 0;
  }

  /// Owner. Whether there are tasks; thieves may take them at any moment.
  [[nodiscard]] bool offers_tasks() const { return size_hint() > 0; }

  /// Owner. False: there is nothing to grant, as thieves reach everything.
  static bool grant_early() { return false; }

  /// Owner. Returns zeros, as there are no blocks.
  static mark::QueueCounters counters() { return {}; }

  /// Any thread. Bytes that the queue holds beside itself, old arrays included. O(1).
  [[nodiscard]] std::size_t memory_bytes() const {
    // Relaxed: only a size is told from it. The capacities of all arrays are powers of two in a row.
    const unsigned array = array_.load(std::memory_order_relaxed);
    return (2 * capacity_of(array) - capacity_of(first_array_)) * sizeof(std::atomic<Task>);
  }

 private:
  static std::size_t capacity_of(unsigned array) { return std::size_t{1} << array; }

  // Owner. Uses `array` from now on.
  void use(unsigned array) {
    entries_ = arrays_[array].data();
    mask_ = capacity_of(array) - 1;
  }

  // Owner, when all room that it knows of is used up.
  [[gnu::noinline]] bool make_room(std::uint64_t bottom) {
    // Relaxed: thieves have read entries before their claims, and an entry is overwritten only after this has
    // gone one way or the other, to this array or to another, on how many were claimed.
    top_seen_ = top_.load(std::memory_order_relaxed);
    return bottom - top_seen_ <= mask_ || grow(bottom);
  }

  // Owner. Continues in an array of twice the capacity.
  bool grow(std::uint64_t bottom) {
    // Relaxed: the owner's own word.
    const unsigned larger = array_.load(std::memory_order_relaxed) + 1;
    if (larger == kArrays) return false;
    auto entries = base::PageArray<std::atomic<Task>>::reserve(capacity_of(larger));
    if (entries.empty()) return false;
    for (std::uint64_t i = top_seen_; i != bottom; ++i) {
      // Relaxed, both: the owner's own writes; the store to array_ publishes them.
      entries[i & (capacity_of(larger) - 1)].store(entries_[i & mask_].load(std::memory_order_relaxed),
                                                   std::memory_order_relaxed);
    }
    arrays_[larger] = std::move(entries);
    use(larger);
    // Release: pairs with the acquire in claim(), so a thief sees the array and what was copied into it, even
    // one that knows of no push since.
    array_.store(larger, std::memory_order_release);
    return true;
  }

  // Owner, at most one task left, the one at `bottom`: swaps for it as a thief does. After this the queue is
  // empty.
  [[gnu::noinline]] bool take_last(std::uint64_t top, std::uint64_t bottom) {
    // Release: pairs with the load of top_ in look(), so thieves that see top there see no bottom from
    // before. Acquire when it fails: pairs with the swap in claim(), so the thief that was faster has read
    // the entry before it is overwritten.
    const bool mine = top == bottom && top_.compare_exchange_strong(top, top + 1, std::memory_order_release,
                                                                    std::memory_order_acquire);
    top_seen_ = bottom + 1;
    // Relaxed: no task is published; a thread that takes the last one for present fails to claim it.
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return mine;
  }

  // Thief. Returns the top to claim.
  [[nodiscard]] std::uint64_t look() const {
    // Sequentially consistent: pairs with the owner's store to bottom_ and load of top_ in pop(), by way of
    // other thieves' swaps. Also an acquire: pairs with the owner's swap in take_last().
    return top_.load(std::memory_order_seq_cst);
  }

  // Thief. Steals task `top`, a number that the thief got from look() or from its last claim. A claim moves
  // it on.
  mark::StealOutcome claim(std::uint64_t& top, Task& task) {
    // Sequentially consistent: pairs with the store to bottom_ in pop(); after the look at top_ or the swap
    // of the last claim. Also an acquire: pairs with the release in push().
    if (bottom_.load(std::memory_order_seq_cst) <= top) return mark::StealOutcome::empty;
    // Acquire: pairs with the release in grow().
    const unsigned array = array_.load(std::memory_order_acquire);
    // Relaxed: bottom_ and array_ were acquired. If this is a later task than number `top`, the swap fails.
    const Task found = arrays_[array][top & (capacity_of(array) - 1)].load(std::memory_order_relaxed);
    std::uint64_t expected = top;
    // Sequentially consistent: pairs with the load of top_ in pop() and, by the next look or claim, with the
    // store to bottom_ there. Also a release: pairs with the acquires of the owner in pop() and take_last(),
    // so the entry is overwritten after this read of it. Relaxed when it fails: nothing was read that counts.
    if (!top_.compare_exchange_strong(expected, top + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return mark::StealOutcome::contended;
    }
    ++top;
    task = found;
    return mark::StealOutcome::taken;
  }

  // The owner's line, of which thieves read bottom_.
  alignas(128) std::atomic<std::uint64_t> bottom_{0};
  std::uint64_t top_seen_ = 0;            // top is at least this
  std::uint64_t mask_ = 0;                // capacity of the array in use, less 1
  std::atomic<Task>* entries_ = nullptr;  // of the array in use

  // The thieves' line, which the owner reads with every pop.
  alignas(128) std::atomic<std::uint64_t> top_{0};

  // Read by all, written only when the queue grows. An element of arrays_ is set once, before array_ names
  // it.
  alignas(128) const BlockShape shape_;
  const unsigned first_array_;
  std::atomic<unsigned> array_{0};
  base::PageArray<std::atomic<Task>> arrays_[kArrays];
};

/// The deque in use: memory ends before its arrays do.
template <typename Task>
using ChaseLevDeque = GrowingChaseLevDeque<Task, 41>;

}  // namespace jackdaw::bench
