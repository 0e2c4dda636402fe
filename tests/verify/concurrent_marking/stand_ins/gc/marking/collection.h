// Stands in for gc/marking/collection.h: marks with one worker, by the shipped object model.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "gc/marking/mark_engine.h"
#include "gc/marking/mark_task.h"
#include "gc/marking/object_model.h"
#include "heap/heap.h"
#include "tests/verify/verify.h"

namespace jackdaw::gc {

class Collection {
 public:
  explicit Collection(heap::Heap& heap) : heap_(heap) {}

  static MarkEngine engine() { return {}; }
  // For who has no more memory.
  static void visit_all_marked_later() { CHECK(false); }
  void set_program_runs(bool runs) { program_runs_ = runs; }
  void mark_some(std::span<heap::Object* const> roots) { mark_again(roots, {}); }
  void mark_again(std::span<heap::Object* const> roots, std::span<const MarkTask> rescans) {
    const HeapObjectModel model({heap_.map(), nullptr, program_runs_});
    Round round{model};
    for (heap::Object* const root : roots) {
      if (root != nullptr) round.reference(root);
    }
    for (const MarkTask task : rescans) round.task(task);
    round.finish();
  }

 private:
  struct Round {
    static constexpr std::size_t kMost = 8;
    static constexpr std::size_t kWords = heap::kBlockBytes / heap::kWordBytes + CandidatePicker::kScratch;

    const HeapObjectModel& model;
    std::array<MarkTask, kMost> tasks;
    std::size_t task_count = 0;
    std::array<CandidatePicker::Candidate, kWords> found;
    std::size_t found_count = 0;

    explicit Round(const HeapObjectModel& model) : model(model) {}
    template <typename Found>
    void reference(Found found) {
      const HeapObjectModel::Outcome outcome = model.mark(found, mark::Sharing::shared);
      if (outcome.is_newly_marked() && !outcome.is_leaf()) task(outcome.task());
    }
    void task(MarkTask task) { tasks[task_count++] = task; }
    void finish() {
      while (task_count != 0) {
        Sink sink{*this};
        model.visit(tasks[--task_count], sink);
        model.examine(std::span(found).first(found_count), *this);
        found_count = 0;
      }
    }
  };
  // A handle, as the engine's.
  struct Sink {
    Round& round;

    CandidatePicker::Candidate* candidates() { return round.found.data(); }
    [[nodiscard]] std::size_t candidate_count() const { return round.found_count; }
    void set_candidate_count(std::size_t count) { round.found_count = count; }
    void make_room() {}
    template <typename Found>
    void reference(Found found) {
      round.reference(found);
    }
    void task(MarkTask task) { round.task(task); }
  };

  heap::Heap& heap_;
  bool program_runs_ = false;
};

}  // namespace jackdaw::gc
