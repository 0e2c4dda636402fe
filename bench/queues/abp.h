// AbpDeque: the non-blocking double-ended queue of Arora, Blumofe and Plaxton.
//
// Source: Arora, Blumofe and Plaxton, "Thread Scheduling for Multiprogrammed Multiprocessors", SPAA 1998, §3.
//
// The tasks are those from `top` up to `bottom` in an array. The owner pushes and pops at the bottom; thieves
// steal at the top by a compare-and-swap on `age`, which is top together with a tag. The owner competes with
// thieves only for its last task: it then swaps age as they do.
//
//   bottom_  one past the newest task     owner writes, thieves read
//   age_     tag, top                     thieves move top up; the owner starts again at 0 with a new tag
//
// Its known weakness is that it is full when bottom reaches the end of the array, even if thieves have
// emptied most of it. The places below top are reused only after the owner finds the queue empty; until then
// pushes fail.
//
// Invariants
//  1. Within one tag top never falls, and bottom is below top only while the owner is about to change the
//     tag.
//  2. The owner overwrites entry i only after it took it itself, leaving top at or below i, or in a later
//     tag. So while age is unchanged the entry at top is too: it may be read before the claim, and a claim
//     that succeeds has read the task that was pushed there.
//  3. The owner lowers bottom, then reads age; a thief reads age, then bottom. All four are sequentially
//     consistent, and so is the thieves' swap: of an owner that takes entry i without a swap and a thief
//     whose claims come to i, one sees the other.
//  4. The tag has 32 bits. A thief that halts between its look and its swap while the owner starts again 2^32
//     times could claim wrongly.
//
// Several tasks are stolen by as many claims, one after another. One swap of top by more than 1 would be
// wrong: the owner competes for its last task alone, so it may already have taken others in that range.
//
// The paper has no orderings. These order by accesses, not by fences, so that a thief needs no barrier on
// x86 but for its swap. The owner pays a sequentially consistent store for every pop.
//
// Threads: the constructor, push, pop, grant_early, offers_tasks and counters are the owner's; steal,
// steal_some, has_stealable, looks_stealable and size_hint may be called by any other thread at any time.
// The comment at each memory_order names the access that it pairs with.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/page_array.h"
#include "bench/queues/without_blocks.h"
#include "mark/queue/queue.h"

namespace jackdaw::bench {

template <typename TaskType>
class AbpDeque {
  static_assert(std::atomic<TaskType>::is_always_lock_free, "a thief reads a task that may be overwritten");

 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;

  /// A queue for block_count × block_size tasks. Throws std::invalid_argument when a size is out of range
  /// (BlockShape), std::bad_alloc when memory is short.
  AbpDeque(std::size_t block_count, std::size_t block_size)
      : shape_(block_count, block_size),
        capacity_(shape_.capacity()),
        entries_(base::PageArray<std::atomic<Task>>::reserve_or_throw(capacity_)) {}

  AbpDeque(const AbpDeque&) = delete;
  AbpDeque& operator=(const AbpDeque&) = delete;

  /// Owner. Puts a task at the bottom. False when the end of the array is reached, whatever thieves took
  /// meanwhile, with nothing changed. Wait-free, O(1).
  bool push(Task task) {
    // Relaxed: the owner's own word.
    const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom == capacity_) [[unlikely]]
      return false;
    // Relaxed: the store to bottom_ publishes it; a thief that reads it too late fails to claim.
    entries_[bottom].store(task, std::memory_order_relaxed);
    // Release: pairs with the load of bottom_ in claim(), so thieves see the entry.
    bottom_.store(bottom + 1, std::memory_order_release);
    return true;
  }

  /// Owner. Takes the newest task that no thief has claimed. False when there is none. Wait-free, O(1).
  bool pop(Task& task) {
    // Relaxed: the owner's own word.
    std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    if (bottom == 0) return false;
    --bottom;
    // Sequentially consistent: pairs with the load of bottom_ in claim(). Thieves whose look at age_ shows
    // more than the next line's see this and keep off.
    bottom_.store(bottom, std::memory_order_seq_cst);
    // Sequentially consistent: pairs with the swap and the load of age_ by thieves.
    const std::uint64_t age = age_.load(std::memory_order_seq_cst);
    if (top_of(age) >= bottom) [[unlikely]] {
      if (!take_last(bottom)) return false;
    }
    // Relaxed: the owner's own write.
    task = entries_[bottom].load(std::memory_order_relaxed);
    return true;
  }

  /// Thief. Claims the oldest task. Lock-free, O(1).
  mark::StealOutcome steal(Task& task) {
    std::uint64_t age = look();
    return claim(age, task);
  }

  /// Thief. Claims half of the tasks, rounded up, but no more than `room` has place for (at least 1), and
  /// puts them there, oldest first: one claim for each, until one fails. Lock-free, O(tasks claimed).
  mark::BatchSteal steal_some(std::span<Task> room) {
    std::uint64_t age = look();
    return claim_one_by_one(room, size_hint(), [&](Task& task) { return claim(age, task); });
  }

  /// Any thread. Whether there are tasks: thieves reach them all. A glance: it may be out of date at once.
  [[nodiscard]] bool has_stealable() const { return size_hint() > 0; }

  /// Any thread. Whether a queue in blocks with the same number of tasks would have something in the block
  /// that `sample` picks. Touches two cache lines that change.
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    return shape_.looks_stealable(size_hint(), sample);
  }

  /// Any thread. About how many tasks there are. O(1).
  [[nodiscard]] std::size_t size_hint() const {
    // Relaxed, both: a hint; nothing is read on the strength of it.
    const std::uint64_t top = top_of(age_.load(std::memory_order_relaxed));
    const std::uint64_t bottom = bottom_.load(std::memory_order_relaxed);
    return bottom > top ? bottom - top : 0;
  }

  /// Owner. Whether there are tasks; thieves may take them at any moment.
  [[nodiscard]] bool offers_tasks() const { return size_hint() > 0; }

  /// Owner. False: there is nothing to grant, as thieves reach everything.
  static bool grant_early() { return false; }

  /// Owner. Returns zeros, as there are no blocks.
  static mark::QueueCounters counters() { return {}; }

  /// Any thread. Bytes that the queue holds beside itself.
  [[nodiscard]] std::size_t memory_bytes() const { return capacity_ * sizeof(std::atomic<Task>); }

 private:
  // age_ holds the tag in bits 32 to 63 and top below.
  static std::uint64_t age_of(std::uint32_t tag, std::uint64_t top) {
    return (std::uint64_t{tag} << 32) | top;
  }
  static std::uint64_t top_of(std::uint64_t age) { return age & 0xffffffff; }

  // Owner, at most one task left, the one at `bottom`. Starts again at entry 0 with the next tag; true when
  // no thief had claimed that task.
  [[gnu::noinline]] bool take_last(std::uint64_t bottom) {
    // Relaxed: thieves that see the new age see this, too; for others the queue is empty or their claim
    // fails.
    bottom_.store(0, std::memory_order_relaxed);
    const std::uint64_t unclaimed = age_of(tag_, bottom);
    // Where the paper swaps and, if that fails, stores, one exchange does both.
    // Release: pairs with the load of age_ in look(), so thieves see no older bottom with the new age. No
    // acquire: the thief that was faster has read the entry before its claim, and the push that overwrites
    // the entry comes after pop() has gone one way or the other on what this returns.
    return age_.exchange(age_of(++tag_, 0), std::memory_order_release) == unclaimed;
  }

  // Thief. Returns the age to claim with.
  [[nodiscard]] std::uint64_t look() const {
    // Sequentially consistent: pairs with the owner's store to bottom_ and load of age_ in pop(), by way of
    // other thieves' swaps. Also an acquire: pairs with the exchange in take_last().
    return age_.load(std::memory_order_seq_cst);
  }

  // Thief. Steals the task at the top of `age`, which the thief got from look() or from its last claim. A
  // claim moves `age` on.
  mark::StealOutcome claim(std::uint64_t& age, Task& task) {
    const std::uint64_t top = top_of(age);
    // Sequentially consistent: pairs with the store to bottom_ in pop(); after the look at age_ or the swap
    // of the last claim. Also an acquire: pairs with the release in push().
    if (bottom_.load(std::memory_order_seq_cst) <= top) return mark::StealOutcome::empty;
    // Relaxed: bottom_ was acquired. If this is a later entry than the one pushed at `age`, the swap fails.
    const Task found = entries_[top].load(std::memory_order_relaxed);
    std::uint64_t expected = age;
    // Sequentially consistent: pairs with the load of age_ in pop() and, by the next look or claim, with the
    // store to bottom_ there. Also a release: pairs with the acquire of the owner in pop(), so the entry is
    // overwritten after this read of it. Relaxed when it fails: nothing was read that counts.
    if (!age_.compare_exchange_strong(expected, age + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return mark::StealOutcome::contended;
    }
    ++age;
    task = found;
    return mark::StealOutcome::taken;
  }

  // The owner's line, of which thieves read bottom_.
  alignas(128) std::atomic<std::uint64_t> bottom_{0};
  std::uint32_t tag_ = 0;  // the tag in age_, which only the owner changes

  // The thieves' line, which the owner reads with every pop.
  alignas(128) std::atomic<std::uint64_t> age_{0};

  // Read by all, never written after construction.
  alignas(128) const BlockShape shape_;
  const std::size_t capacity_;
  const base::PageArray<std::atomic<Task>> entries_;
};

}  // namespace jackdaw::bench
