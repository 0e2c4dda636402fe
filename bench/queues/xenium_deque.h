// XeniumDeque: the Chase-Lev deque of the library xenium as a StealableQueue, for comparison.
//
// The deque's capacity is a part of its type: it has an array of fixed size, the faster of two kinds.
//
// Threads: push, pop, offers_tasks, grant_early and counters are the owner's; all else may be called by any
// other thread at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <xenium/chase_work_stealing_deque.hpp>

#include "bench/queues/without_blocks.h"
#include "mark/queue/queue.h"

namespace jackdaw::bench {

template <typename TaskType>
class XeniumDeque {
  static_assert(sizeof(TaskType) == sizeof(void*), "the deque holds pointers; a task passes for one");

 public:
  using Task = TaskType;

  static constexpr bool kServesThieves = true;
  /// This number of tasks fits, also when a smaller one is requested.
  static constexpr std::size_t kCapacity = 8192;

  /// Throws std::invalid_argument when a size is 0 or more is asked for than fits.
  XeniumDeque(std::size_t block_count, std::size_t block_size) : shape_(block_count, block_size) {
    if (shape_.capacity() > kCapacity) throw std::invalid_argument("XeniumDeque: more tasks than fit");
  }

  /// Owner. Puts a task on top. False when the deque is full.
  bool push(Task task) { return deque_.try_push(reinterpret_cast<Entry*>(task)); }

  /// Owner. Takes the newest task. False when there is none.
  bool pop(Task& task) {
    Entry* entry = nullptr;
    if (!deque_.try_pop(entry)) return false;
    task = reinterpret_cast<Task>(entry);
    return true;
  }

  /// Thief. Takes the oldest task. The deque does not distinguish a lost race from an empty deque: a failed
  /// steal counts as contended when there are tasks afterwards.
  mark::StealOutcome steal(Task& task) {
    Entry* entry = nullptr;
    if (!deque_.try_steal(entry))
      return has_stealable() ? mark::StealOutcome::contended : mark::StealOutcome::empty;
    task = reinterpret_cast<Task>(entry);
    return mark::StealOutcome::taken;
  }

  /// Thief. Takes half of the tasks, one after another.
  mark::BatchSteal steal_some(std::span<Task> room) {
    return claim_one_by_one(room, size_hint(), [this](Task& task) { return steal(task); });
  }

  [[nodiscard]] bool has_stealable() const { return size_hint() > 0; }
  [[nodiscard]] bool looks_stealable(std::uint64_t sample) const {
    return shape_.looks_stealable(size_hint(), sample);
  }
  /// Any thread. The owner's pop moves the end before it reads the beginning, so the difference may be
  /// negative for a moment.
  [[nodiscard]] std::size_t size_hint() const {
    const std::size_t size = deque_.size();
    return size > kCapacity ? 0 : size;
  }
  [[nodiscard]] bool offers_tasks() const { return has_stealable(); }
  static bool grant_early() { return false; }
  static mark::QueueCounters counters() { return {}; }
  [[nodiscard]] std::size_t memory_bytes() const { return 0; }

 private:
  struct Entry;
  using Array = xenium::detail::fixed_size_circular_array<Entry, kCapacity>;

  const BlockShape shape_;
  // Its size() changes nothing but is not const.
  alignas(128) mutable xenium::chase_work_stealing_deque<Entry, xenium::policy::capacity<kCapacity>,
                                                         xenium::policy::container<Array>> deque_;
};

}  // namespace jackdaw::bench
