// MarkStep: marks the object that a found reference leads to: obtains the right to mark, sets the mark, and
// stores the task to visit the object.
//
// Two things can delay it. Where marks are far, the mark is set when its line has arrived (deferred marking;
// mark/mark_distance.h decides on it). Where another worker holds the bias of the region, the reference
// itself is deferred until that bias has ended (mark/biased_regions.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "mark/biased_regions.h"
#include "mark/deferred_references.h"
#include "mark/mark_distance.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/prefetch_buffer.h"
#include "mark/statistics.h"

namespace jackdaw::mark {

/// A mark mode says how a worker marks, and where new tasks go.
enum class MarkMode : std::uint8_t {
  serial,  ///< alone, near marks: plainly and at once; tasks go to the prefetch buffer if it has room
  serial_deferred,  ///< alone, far marks: marks are prefetched and set later
  immediate,        ///< beside others, near marks: as serial, but with biases or atomically
  deferred,         ///< beside others, far marks: prefetched and set later; tasks go to the queue
};
inline constexpr bool is_serial(MarkMode mode) {
  return mode == MarkMode::serial || mode == MarkMode::serial_deferred;
}
inline constexpr bool is_deferred(MarkMode mode) {
  return mode == MarkMode::deferred || mode == MarkMode::serial_deferred;
}

/// Owned by one worker. `Tasks` is a TaskStore; of `Team` it uses `biased_regions_of(worker)`. Every worker
/// may use biased_regions() and the queue.
template <ObjectModel Model, typename Tasks, typename Team>
class MarkStep {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;

  /// The number of found references that wait for the lines of their marks.
  static constexpr std::size_t kMarkPrefetchDepth = 16;

  /// Throws std::invalid_argument for sizes out of range, and std::bad_alloc.
  MarkStep(Team& team, std::uint32_t worker, const MarkerOptions& options)
      : team_(team), biased_regions_(worker), tasks_(options) {}
  MarkStep(const MarkStep&) = delete;
  MarkStep& operator=(const MarkStep&) = delete;

  Tasks& tasks() { return tasks_; }
  [[nodiscard]] const Tasks& tasks() const { return tasks_; }
  BiasedRegions& biased_regions() { return biased_regions_; }
  MarkDistance& distance() { return distance_; }

  void start_round() {
    leaves_ = references_deferred_ = 0;
    waited_ = {};
    tasks_.start_round();
    biased_regions_.start_round();
  }
  /// Adds this round's counts to the statistics.
  void finish_round(WorkerStatistics& statistics) {
    statistics.objects_marked = marked();
    statistics.references_deferred = references_deferred_;
    statistics.idle += waited_;
    tasks_.finish_round(statistics);
  }
  /// Returns how many objects this worker has marked in this round.
  [[nodiscard]] std::uint64_t marked() const { return leaves_ + tasks_.made(); }
  /// Adds leaves that were marked and counted elsewhere.
  void add_leaves(std::uint64_t count) { leaves_ += count; }

  /// Marks what a found reference leads to, now or, if marking is deferred, later.
  template <MarkMode kMode, ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE void discover(Model& model, Found found) {
    discover<kMode>(model, found, tasks_.prefetched(), leaves_);
  }
  /// Marks what a found reference leads to, with the parameters of mark() below.
  template <MarkMode kMode, ReferenceTo<Reference> Found, typename Prefetched>
  JACKDAW_ALWAYS_INLINE void discover(Model& model, Found found, Prefetched& prefetched,
                                      std::uint64_t& leaves) {
    if constexpr (is_deferred(kMode)) {
      Reference reference = found;
      model.prefetch_mark(reference);
      if (discovered_.exchange(reference)) mark<kMode>(model, reference, prefetched, leaves);
    } else {
      mark<kMode>(model, found, prefetched, leaves);
    }
  }

  template <MarkMode kMode, ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE void mark(Model& model, Found reference) {
    mark<kMode>(model, reference, tasks_.prefetched(), leaves_);
  }
  /// Marks what a reference leads to, unless another worker's bias prevents that: then the reference is
  /// deferred. `prefetched` takes the task while it has room, and `leaves` counts leaves.
  template <MarkMode kMode, ReferenceTo<Reference> Found, typename Prefetched>
  JACKDAW_ALWAYS_INLINE void mark(Model& model, Found reference, Prefetched& prefetched,
                                  std::uint64_t& leaves) {
    MarkingRight right = is_serial(kMode) ? MarkingRight::exclusive : MarkingRight::shared;
    if constexpr (!is_serial(kMode) && BiasedObjectModel<Model>) {
      right = right_to_mark(model, reference);
      if (right == MarkingRight::none) [[unlikely]] {
        defer(model, reference);
        return;
      }
    }
    mark_by<kMode>(right, model, reference, prefetched, leaves);
  }

  /// Whether references wait for the lines of their marks.
  [[nodiscard]] bool awaits_marks() const { return discovered_.size() != 0; }
  /// Marks a reference that waits for its mark's line, or waits until a deferred one could be marked. Returns
  /// false when there is neither.
  template <MarkMode kMode>
  [[gnu::noinline]] bool mark_waiting(Model& model) {
    Reference reference{};
    if (discovered_.take(reference)) {
      mark<is_serial(kMode) ? MarkMode::serial : MarkMode::deferred>(model, reference);
      return true;
    }
    if (deferred_.is_empty()) return false;
    if constexpr (BiasedObjectModel<Model>) wait_for_revocations(model);
    return true;
  }

 private:
  template <ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE MarkingRight right_to_mark(Model& model, Found reference) {
    return biased_regions_.right_to_mark(
        model.bias_word_of(reference),
        [this](std::uint32_t worker) -> BiasedRegions& { return team_.biased_regions_of(worker); });
  }

  template <MarkMode kMode, ReferenceTo<Reference> Found, typename Prefetched>
  JACKDAW_ALWAYS_INLINE void mark_by(MarkingRight right, Model& model, Found reference,
                                     Prefetched& prefetched, std::uint64_t& leaves) {
    const Sharing sharing = right == MarkingRight::exclusive ? Sharing::exclusive : Sharing::shared;
    const MarkOutcome<Task> outcome = model.mark(reference, sharing);
    if (!outcome.is_newly_marked()) return;
    if (outcome.is_leaf()) {
      ++leaves;
      return;
    }
    const Task task = outcome.task();
    if constexpr (kMode != MarkMode::deferred) {
      if (!prefetched.is_full()) {
        if (prefetched.asks_on_entry()) prefetch(model, task, reference);
        prefetched.put(task);
        return;
      }
    }
    // A task that cannot be stored is dropped, and mark() returns false: its object is marked, so it can be
    // found and visited again.
    if (!tasks_.push(task)) tasks_.drop();
  }

  template <ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE static void prefetch(Model& model, Task task, Found found) {
    if constexpr (requires { model.prefetch(task, found); }) {
      model.prefetch(task, found);
    } else {
      model.prefetch(task);
    }
  }

  // Defers a reference until another worker's bias has ended.
  [[gnu::noinline]] void defer(Model& model, Reference reference) {
    ++references_deferred_;
    if (deferred_.is_full()) wait_for_revocations(model);
    deferred_.put(reference);
  }

  // Waits until at least one of the deferred references could be marked.
  void wait_for_revocations(Model& model) {
    const auto waiting_since = std::chrono::steady_clock::now();
    while (!retry_deferred(model)) deferred_.pause();
    waited_ += std::chrono::steady_clock::now() - waiting_since;
  }

  // Tries to mark the deferred references. It polls first, as others may wait for this worker's biases.
  bool retry_deferred(Model& model) {
    biased_regions_.poll();
    return deferred_.retry([&](Reference reference) {
      const MarkingRight right = right_to_mark(model, reference);
      if (right == MarkingRight::none) return false;
      mark_by<MarkMode::deferred>(right, model, reference, tasks_.prefetched(), leaves_);
      return true;
    });
  }

  Team& team_;
  BiasedRegions biased_regions_;
  Tasks tasks_;
  PrefetchBuffer<Reference, kMarkPrefetchDepth> discovered_;
  MarkDistance distance_;
  DeferredReferences<Reference> deferred_;
  std::uint64_t leaves_ = 0;  // objects marked that need no visit
  std::uint64_t references_deferred_ = 0;
  std::chrono::nanoseconds waited_{0};  // for other workers' biases to end
};

}  // namespace jackdaw::mark
