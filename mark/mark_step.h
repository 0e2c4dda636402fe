// MarkStep: what a worker does with a reference that a visit found: it obtains the right to mark, sets the
// mark, and keeps the task to visit the object in the worker's task store.
//
// Two things can come in between. Where marks are far away in memory a reference waits for its mark's line
// (deferred marking, which mark/mark_distance.h decides on). And where another worker has the region biased
// it is set aside until that bias has ended (mark/biased_regions.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "mark/biased_regions.h"
#include "mark/mark_distance.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/prefetch_buffer.h"
#include "mark/set_aside.h"
#include "mark/statistics.h"

namespace jackdaw::mark {

/// How a worker marks, and where what it finds goes.
enum class Way : std::uint8_t {
  serial,  ///< while no other worker marks: plainly and at once; to the prefetch buffer if it has room
  serial_deferred,  ///< the same, marks being far: asked for, and set a while later
  immediate,        ///< beside others, marks being near: as serial, but with biases or atomically
  deferred,         ///< beside others, marks being far: asked for, and set a while later; to the queue
};
inline constexpr bool is_serial(Way way) { return way == Way::serial || way == Way::serial_deferred; }
inline constexpr bool is_deferred(Way way) { return way == Way::deferred || way == Way::serial_deferred; }

/// One worker's. `Tasks` is a TaskStore. Of the `Team` it asks `biased_regions_of(worker)`. biased_regions()
/// and the queue may be used by every worker.
template <ObjectModel Model, typename Tasks, typename Team>
class MarkStep {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;

  /// How many discovered references wait for their marks' memory.
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
    leaves_ = references_set_aside_ = 0;
    waited_ = {};
    tasks_.start_round();
    biased_regions_.start_round();
  }
  /// Adds the round's counts.
  void finish_round(WorkerStatistics& statistics) {
    statistics.objects_marked = marked();
    statistics.references_set_aside = references_set_aside_;
    statistics.idle += waited_;
    tasks_.finish_round(statistics);
  }
  /// Objects that this worker has marked in this round.
  [[nodiscard]] std::uint64_t marked() const { return leaves_ + tasks_.made(); }
  /// Adds leaves that were marked and counted elsewhere.
  void add_leaves(std::uint64_t count) { leaves_ += count; }

  /// A reference was found: marks what it leads to, now or, if marking is deferred, later.
  template <Way kWay, ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE void discover(Model& model, Found found) {
    discover<kWay>(model, found, tasks_.prefetched(), leaves_);
  }
  /// Marks, with the contract of mark() below.
  template <Way kWay, ReferenceTo<Reference> Found, typename Prefetched>
  JACKDAW_ALWAYS_INLINE void discover(Model& model, Found found, Prefetched& prefetched,
                                      std::uint64_t& leaves) {
    if constexpr (is_deferred(kWay)) {
      Reference reference = found;
      model.prefetch_mark(reference);
      if (discovered_.exchange(reference)) mark<kWay>(model, reference, prefetched, leaves);
    } else {
      mark<kWay>(model, found, prefetched, leaves);
    }
  }

  template <Way kWay, ReferenceTo<Reference> Found>
  JACKDAW_ALWAYS_INLINE void mark(Model& model, Found reference) {
    mark<kWay>(model, reference, tasks_.prefetched(), leaves_);
  }
  /// `prefetched` takes what is found, while it has room, and `leaves` counts leaves.
  template <Way kWay, ReferenceTo<Reference> Found, typename Prefetched>
  JACKDAW_ALWAYS_INLINE void mark(Model& model, Found reference, Prefetched& prefetched,
                                  std::uint64_t& leaves) {
    MarkingRight right = is_serial(kWay) ? MarkingRight::exclusive : MarkingRight::shared;
    if constexpr (!is_serial(kWay) && BiasedObjectModel<Model>) {
      right = right_to_mark(model, reference);
      if (right == MarkingRight::none) [[unlikely]] {
        set_aside(model, reference);
        return;
      }
    }
    mark_by<kWay>(right, model, reference, prefetched, leaves);
  }

  /// Whether references wait for their marks' memory.
  [[nodiscard]] bool defers_any() const { return discovered_.size() != 0; }
  /// Marks a reference that waits. False when none does.
  template <Way kWay>
  [[gnu::noinline]] bool mark_waiting(Model& model) {
    Reference reference{};
    if (discovered_.take(reference)) {
      mark<is_serial(kWay) ? Way::serial : Way::deferred>(model, reference);
      return true;
    }
    if (set_aside_.is_empty()) return false;
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

  template <Way kWay, ReferenceTo<Reference> Found, typename Prefetched>
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
    if constexpr (kWay != Way::deferred) {
      if (!prefetched.is_full()) {
        if (prefetched.asks_on_entry()) prefetch(model, task, reference);
        prefetched.put(task);
        return;
      }
    }
    // A task that cannot be kept is dropped, and the collector is told: its object is marked, so it can be
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

  // Keeps a reference until the bias that stands in its way has ended.
  [[gnu::noinline]] void set_aside(Model& model, Reference reference) {
    ++references_set_aside_;
    if (set_aside_.is_full()) wait_for_revocations(model);
    set_aside_.put(reference);
  }

  // Returns when at least one of the references that were set aside has got through.
  void wait_for_revocations(Model& model) {
    const auto waiting_since = std::chrono::steady_clock::now();
    while (!retry_set_aside(model)) set_aside_.pause();
    waited_ += std::chrono::steady_clock::now() - waiting_since;
  }

  // Meanwhile others may wait for this worker's biases.
  bool retry_set_aside(Model& model) {
    biased_regions_.poll();
    return set_aside_.retry([&](Reference reference) {
      const MarkingRight right = right_to_mark(model, reference);
      if (right == MarkingRight::none) return false;
      mark_by<Way::deferred>(right, model, reference, tasks_.prefetched(), leaves_);
      return true;
    });
  }

  Team& team_;
  BiasedRegions biased_regions_;
  Tasks tasks_;
  PrefetchBuffer<Reference, kMarkPrefetchDepth> discovered_;
  MarkDistance distance_;
  SetAside<Reference> set_aside_;
  std::uint64_t leaves_ = 0;  // marked; every other object that is marked makes a task
  std::uint64_t references_set_aside_ = 0;
  std::chrono::nanoseconds waited_{0};  // for biases to end
};

}  // namespace jackdaw::mark
