// MarkSinks: the sinks that visits report to (ObjectModel in mark/object_model.h).
//
// A visit reports each reference that it finds. The sink marks the object and stores the task to visit it
// (mark/mark_step.h). There are four: for one visit, for one that is timed, for a batch of visits, and for
// references that the model counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/always_inline.h"
#include "mark/mark_step.h"
#include "mark/object_model.h"

namespace jackdaw::mark {

/// The sinks of a MarkLoop, which is their friend.
template <typename Loop>
struct MarkSinks {
  using Model = typename Loop::Model;
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;
  using Tasks = typename Loop::Tasks;

  // The sink of a single visit: marks the objects that references lead to and stores their tasks.
  template <MarkMode kMode>
  struct Sink {
    Loop* loop;
    Model* model;

    template <ReferenceTo<Reference> Found>
    JACKDAW_ALWAYS_INLINE void reference(Found found) {
      ++loop->statistics_.references_visited;
      loop->step_.template discover<kMode>(*model, found);
    }
    void task(Task task) { loop->template keep<kMode>(*model, task); }
    [[nodiscard]] std::uint32_t worker() const { return loop->index_; }
    // Returns a sink for many references, none of which is a part. The caller calls its end().
    auto batch() requires(!is_deferred(kMode)) {
      return BatchSink<kMode, typename Tasks::Prefetched::Filling>(*loop, *model);
    }

    JACKDAW_ALWAYS_INLINE auto* candidates() requires CandidateObjectModel<Model> {
      return loop->candidates_.data();
    }
    JACKDAW_ALWAYS_INLINE std::size_t candidate_count() requires CandidateObjectModel<Model> {
      return loop->candidates_.size();
    }
    JACKDAW_ALWAYS_INLINE void set_candidate_count(std::size_t count) requires CandidateObjectModel<Model> {
      loop->candidates_.set_size(count);
    }
    void make_room() requires CandidateObjectModel<Model> { loop->template examine_now<kMode>(*model); }
  };

  // The sink of a visit that is sampled: it times how long the first mark takes to come.
  template <MarkMode kMode>
  struct SamplingSink : Sink<kMode> {
    bool* is_first;

    void batch() = delete;

    template <ReferenceTo<Reference> Found>
    void reference(Found found) {
      if (std::exchange(*is_first, false)) {
        this->loop->step_.distance().sample([&] {
          // The asm keeps the compiler from dropping or moving the read.
          const bool is_marked = this->model->is_marked(found);
          asm volatile("" : : "r"(is_marked) : "memory");
        });
      }
      Sink<kMode>::reference(found);
    }
  };

  // A sink for many visits, or for many candidates: counts, and the prefetch buffer's ends, stay in registers
  // until the batch is over.
  template <MarkMode kMode, typename Prefetched>
  struct BatchSink {
    Loop* loop;
    Model* model;
    Prefetched prefetched;
    std::uint64_t leaves = 0;
    std::uint64_t references = 0;

    BatchSink(Loop& the_loop, Model& the_model)
        : loop(&the_loop), model(&the_model), prefetched(the_loop.tasks().prefetched()) {}
    template <ReferenceTo<Reference> Found>
    JACKDAW_ALWAYS_INLINE void reference(Found found) {
      ++references;
      discover(found);
    }
    template <ReferenceTo<Reference> Found>
    JACKDAW_ALWAYS_INLINE void discover(Found found) {
      loop->step_.template discover<kMode>(*model, found, prefetched, leaves);
    }
    void task(Task task) {
      if (loop->tasks().push_again(task)) return;
      end();
      loop->template execute_at_once<kMode>(*model, task);
      begin();
    }
    [[nodiscard]] std::uint32_t worker() const { return loop->index_; }
    void begin() {
      prefetched.begin();
      leaves = references = 0;
    }
    JACKDAW_ALWAYS_INLINE void end() {
      prefetched.end();
      loop->step_.add_leaves(leaves);
      loop->statistics_.references_visited += references;
    }
  };

  // A BatchSink for a model that counts the references itself.
  template <MarkMode kMode>
  struct UncountingSink : BatchSink<kMode, typename Tasks::Prefetched::Filling> {
    using BatchSink<kMode, typename Tasks::Prefetched::Filling>::BatchSink;
    template <ReferenceTo<Reference> Found>
    JACKDAW_ALWAYS_INLINE void reference(Found found) {
      this->discover(found);
    }
  };
};

}  // namespace jackdaw::mark
