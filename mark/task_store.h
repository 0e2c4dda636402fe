// TaskStore: a worker's tasks: the queue, which others steal from; the overflow list for tasks that the queue
// has no room for, which no other worker sees; and the prefetch buffer with the tasks that are visited next.
//
// Queue and overflow list are one stack: the list continues the queue, so it is emptied first. While others
// ask for tasks and the queue offers none, it gets overflowed tasks back, or grants the older half of its top
// block. All popped tasks pass through the prefetch buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "base/check.h"
#include "base/stress.h"
#include "mark/mark_loop_constants.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/overflow_list.h"
#include "mark/prefetch_buffer.h"
#include "mark/queue/queue.h"
#include "mark/statistics.h"

namespace jackdaw::mark {

/// Its owner uses it, except for queue(), which every worker of the team may use as a thief.
template <typename Task, StealableQueue Queue>
class TaskStore {
 public:
  /// Throws std::invalid_argument for sizes out of range, and std::bad_alloc.
  explicit TaskStore(const MarkerOptions& options)
      : queue_(options.tuning.blocks, options.tuning.block_size),
        block_size_(options.tuning.block_size),
        overflow_limit_(options.overflow_limit),
        grants_early_(options.tuning.grant == Grant::early) {}

  using Prefetched = PrefetchBuffer<Task, kPrefetchDepth>;

  Queue& queue() { return queue_; }
  /// Returns the tasks that are visited next, oldest first. The caller that puts a task in prefetches its
  /// memory.
  Prefetched& prefetched() { return prefetched_; }

  /// False when the task cannot be stored: there is no memory, or the overflow list is full.
  JACKDAW_ALWAYS_INLINE bool push(Task task) {
    if (!queue_.push(task)) [[unlikely]] {
      if (!push_overflow(task)) return false;
    }
    ++pushes_;
    return true;
  }
  /// Takes the newest task; false when there is none.
  JACKDAW_ALWAYS_INLINE bool pop(Task& task) {
    if (!overflow_.empty()) [[unlikely]] {
      overflow_.pop(task);
    } else if (!queue_.pop(task)) {
      stolen_ = pushes_ - pops_;
      return false;
    }
    ++pops_;
    JACKDAW_CHECK(pops_ <= pushes_);
    return true;
  }
  /// Pushes a task that is not new: a part of an object, or a task that was stolen.
  bool push_again(Task task) {
    if (!push(task)) return false;
    ++pushed_again_;
    return true;
  }
  /// Returns the number of tasks that push_again() pushed in this round.
  [[nodiscard]] std::uint64_t pushed_again() const { return pushed_again_; }
  /// Counts a new task that could not be stored.
  void drop() { ++dropped_; }
  /// Whether a task was dropped in this round.
  [[nodiscard]] bool has_dropped() const { return dropped_ != 0; }

  /// Whether no task was pushed since pop() last failed.
  [[nodiscard]] bool is_known_empty() const { return lasting() == stolen_; }
  /// Moves tasks to the prefetch buffer when few are left in it.
  template <typename Model>
  JACKDAW_ALWAYS_INLINE void refill(Model& model) {
    if (!is_known_empty()) refill_from_queue(model);
  }
  /// Takes the next task to visit; false when there is none.
  template <typename Model>
  JACKDAW_ALWAYS_INLINE bool next(Model& model, Task& task) {
    if (prefetched_.size() >= kLowTasks) [[likely]] {
      task = prefetched_.take_oldest();
      return true;
    }
    refill(model);
    return prefetched_.take(task);
  }
  /// Takes the next task to visit where all new tasks go to the queue: a task leaves the prefetch buffer when
  /// another enters, or when none does and it `may_run_empty`.
  template <typename Model>
  JACKDAW_ALWAYS_INLINE bool next_of_queue(Model& model, Task& task, bool may_run_empty) {
    while (pop(task)) {
      model.prefetch(task);
      if (prefetched_.exchange(task)) return true;
    }
    return may_run_empty && prefetched_.take(task);
  }

  /// Makes tasks stealable unless some are already. Returns whether the queue offers any.
  bool offer_tasks() {
    if (!queue_.offers_tasks()) {
      if (!overflow_.empty()) overflow_.hand_back(queue_, block_size_ + 1);
      base::Stress::delay();
      if (grants_early_ && !queue_.offers_tasks()) queue_.grant_early();
    }
    return queue_.offers_tasks();
  }

  /// Returns the tasks pushed minus those popped in this round. Stolen ones count.
  [[nodiscard]] std::uint64_t lasting() const { return pushes_ - pops_; }
  /// Returns the tasks in all three places, plus those stolen since pop() last failed: thieves do not report
  /// what they take, as that would be a shared write for every steal.
  [[nodiscard]] std::uint64_t held() const { return pushes_ - pops_ - stolen_ + prefetched_.size(); }

  /// Returns the new tasks of this round: put into the prefetch buffer, pushed, or dropped.
  [[nodiscard]] std::uint64_t made() const { return direct() + pushes_ - pushed_again_ + dropped_; }

  void start_round() {
    JACKDAW_CHECK(prefetched_.size() == 0 && overflow_.empty());
    pushes_ = pops_ = stolen_ = overflow_pushes_ = overflow_peak_ = overflow_peak_bytes_ = 0;
    pushed_again_ = dropped_ = 0;
    counters_before_ = queue_.counters();
    put_before_ = prefetched_.put_so_far();
    if constexpr (requires { queue_.give_memory_back(); }) queue_.give_memory_back();
  }
  /// Writes the round's counts and releases the overflow list's memory, except for one segment.
  void finish_round(WorkerStatistics& statistics) {
    JACKDAW_CHECK(prefetched_.size() == 0 && overflow_.empty());
    JACKDAW_CHECK(pops_ <= pushes_ && pushed_again_ <= pushes_);
    statistics.pushes = pushes_;
    statistics.pops = pops_;
    statistics.direct = direct();
    statistics.tasks_executed += direct() + pops_;  // all that entered the prefetch buffer were visited
    statistics.overflow_pushes = overflow_pushes_;
    statistics.overflow_peak = overflow_peak_;
    statistics.grants = queue_.counters().grants - counters_before_.grants;
    statistics.takeovers = queue_.counters().takeovers - counters_before_.takeovers;
    overflow_peak_bytes_ = overflow_.peak_memory_bytes();
    overflow_.release_memory();
  }
  /// Returns the bytes of the queue, and of the overflow list at its peak in the last round.
  [[nodiscard]] std::size_t memory_bytes() const { return queue_.memory_bytes() + overflow_peak_bytes_; }

 private:
  // Returns the tasks that were put into the prefetch buffer without passing through the queue.
  [[nodiscard]] std::uint64_t direct() const { return prefetched_.put_so_far() - put_before_ - pops_; }

  // Inlined, it would take registers from narrow heaps, which have no tasks in the queue.
  template <typename Model>
  [[gnu::noinline]] void refill_from_queue(Model& model) {
    constexpr bool kIsPlain = !CandidateObjectModel<Model>;
    constexpr std::size_t kRefilled = kIsPlain ? kLowTasks + kTasksAtOnce : kRefilledTasks;
    JACKDAW_CHECK(prefetched_.size() < kRefilled);
    std::size_t room = kRefilled - prefetched_.size();
    if constexpr (requires { queue_.drop_newest(room); }) {
      if (overflow_.empty()) [[likely]] {
        const std::span<const Task> newest = queue_.newest(room);
        const std::size_t moved = fill(model, newest);
        queue_.drop_newest(moved);
        pops_ += moved;
        room -= moved;
        if (room == 0 || moved != newest.size()) [[likely]]
          return;
        if (moved != 0 && ends_filling(model, newest.front())) return;
      }
    }
    refill_by_pops(model, room);
  }

  // Moves tasks to the prefetch buffer, the last one first, but none after a slice. Returns how many.
  template <typename Model>
  JACKDAW_ALWAYS_INLINE std::size_t fill(Model& model, std::span<const Task> newest) {
    JACKDAW_CHECK(prefetched_.size() + newest.size() <= kPrefetchDepth);
    typename Prefetched::Filling filling(prefetched_);
    const std::size_t before = prefetched_.size();
    std::size_t left = newest.size();
    while (left != 0) {
      const Task task = newest[--left];
      const bool asks = CandidateObjectModel<Model> || before + newest.size() - left <= kAskedTasks;
      if (ends_filling(model, task)) [[unlikely]] {
        if (asks) model.prefetch(task);
        filling.put(task);
        break;
      }
      if (asks) model.prefetch(task);
      filling.put(task);
    }
    // The buffer is written only if it changed: where one task waits at a time, the next load waits for the
    // store.
    if (left != newest.size()) filling.end();
    return newest.size() - left;
  }

  // Moves up to `room` popped tasks in the same way.
  template <typename Model>
  [[gnu::noinline]] void refill_by_pops(Model& model, std::size_t room) {
    Task task{};
    for (; room != 0 && pop(task); --room) {
      fill(model, {&task, 1});
      if (ends_filling(model, task)) return;
    }
  }

  // Whether no task enters the prefetch buffer after this one until others have left.
  template <typename Model>
  JACKDAW_ALWAYS_INLINE static bool ends_filling([[maybe_unused]] const Model& model,
                                                 [[maybe_unused]] Task task) {
    if constexpr (SlicingObjectModel<Model>) return model.is_slice(task);
    return false;
  }

  [[gnu::noinline]] bool push_overflow(Task task) {
    if (overflow_.size() >= overflow_limit_ || !overflow_.push(task)) return false;
    ++overflow_pushes_;
    overflow_peak_ = std::max<std::uint64_t>(overflow_peak_, overflow_.size());
    return true;
  }

  Queue queue_;
  OverflowList<Task> overflow_;
  const std::size_t block_size_;
  const std::size_t overflow_limit_;
  const bool grants_early_;
  std::uint64_t pushes_ = 0;
  std::uint64_t pops_ = 0;
  std::uint64_t stolen_ = 0;  // tasks stolen in this round, when pop() last failed
  std::uint64_t overflow_pushes_ = 0;
  std::uint64_t overflow_peak_ = 0;
  std::size_t overflow_peak_bytes_ = 0;
  std::uint64_t pushed_again_ = 0;
  std::uint64_t dropped_ = 0;
  QueueCounters counters_before_;
  std::uint64_t put_before_ = 0;
  // This is last, and MarkStep's bias comes first: measured, two workers then mark `ordered` a few percent
  // faster.
  Prefetched prefetched_;
};

}  // namespace jackdaw::mark
