// Mailbox: where tasks wait that workers of one memory node made for the workers of another.
//
// A few slots, each with room for a block of tasks. Who posts claims a free slot, copies a block into it and
// publishes it; who takes claims a published slot, copies the block out of it and frees it. Nobody waits for
// anybody: who finds no free slot keeps the tasks. All memory is there from the start.
//
// As in BWoS (Wang et al., OSDI 2023), what threads share they touch once a block, and not once a task.
//
// Invariants
//  1. A slot's bit is in at most one of the two words. While it is in neither, the slot is that thread's
//  whose read-modify-write took the bit.
//  2. A block that was posted is in the mailbox until one thread has taken its bit out of posted_. So a
//  poster that finds the mailbox empty knows that somebody has taken its blocks.
// The comment at each memory_order names the access that it pairs with.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace jackdaw::mark {

/// Any number of threads may post and take at once.
template <typename Tasks, std::uint32_t kSlots = 8, std::size_t kTasksOfASlot = 64>
class Mailbox {
 public:
  using Task = Tasks;
  static constexpr std::size_t kBlockTasks = kTasksOfASlot;

  /// Posts a block, of one task at least and kBlockTasks at most. False when there is no free slot, with
  /// nothing changed. O(tasks).
  bool post(std::span<const Task> tasks) {
    const std::uint32_t bit = claim(free_, [this](std::uint32_t wanted) {
      // Acquire: pairs with the release at the end of take, so that what was there has been copied.
      return free_.fetch_and(~wanted, std::memory_order_acquire);
    });
    if (bit == 0) return false;
    Slot& slot = slot_of(bit);
    slot.count = tasks.size();
    std::copy(tasks.begin(), tasks.end(), slot.tasks.begin());
    // Release: pairs with the acquire in take.
    posted_.fetch_or(bit, std::memory_order_release);
    return true;
  }

  /// Takes a block, if there is one: copies it to `room` and returns the number of its tasks, else 0.
  /// O(tasks).
  std::size_t take(std::span<Task, kTasksOfASlot> room) {
    const std::uint32_t bit = claim(posted_, [this](std::uint32_t wanted) {
      // Acquire: pairs with the release in post.
      return posted_.fetch_and(~wanted, std::memory_order_acquire);
    });
    if (bit == 0) return 0;
    const Slot& slot = slot_of(bit);
    const std::size_t count = slot.count;
    std::copy_n(slot.tasks.begin(), count, room.begin());
    // Release: pairs with the acquire in post.
    free_.fetch_or(bit, std::memory_order_release);
    return count;
  }

  /// Whether a block could be posted now. A glance: it may be out of date at once.
  // Relaxed: a hint; what counts is what post finds.
  [[nodiscard]] bool has_room() const { return free_.load(std::memory_order_relaxed) != 0; }

  /// Whether there is no block to take; for a thread that has posted: whether all its blocks were taken.
  [[nodiscard]] bool is_empty() const {
    // Relaxed: a poster reads its own change of the word or a later one without help, and what the takers did
    // it learns elsewhere (see worker_mail.h).
    return posted_.load(std::memory_order_relaxed) == 0;
  }

 private:
  static_assert(kSlots < 32);

  // Two threads may be busy with neighbours.
  struct alignas(128) Slot {
    std::size_t count = 0;
    std::array<Task, kTasksOfASlot> tasks{};
  };

  // Takes a bit out of the word and returns it; 0 when there is none. `take_out(bit)` returns what the word
  // was.
  template <typename TakeOut>
  static std::uint32_t claim(const std::atomic<std::uint32_t>& word, TakeOut take_out) {
    // Relaxed: a hint; what counts is what take_out finds.
    std::uint32_t bits = word.load(std::memory_order_relaxed);
    while (bits != 0) {
      const std::uint32_t bit = bits & (~bits + 1);
      bits = take_out(bit);
      if ((bits & bit) != 0) return bit;
    }
    return 0;
  }

  Slot& slot_of(std::uint32_t bit) {
    std::uint32_t number = 0;
    while (bit != std::uint32_t{1} << number) ++number;
    return slots_[number];
  }

  // Slots that may be posted into, and those that may be taken from: a bit each.
  alignas(128) std::atomic<std::uint32_t> free_{(std::uint32_t{1} << kSlots) - 1};
  alignas(128) std::atomic<std::uint32_t> posted_{0};
  std::array<Slot, kSlots> slots_;
};

}  // namespace jackdaw::mark
