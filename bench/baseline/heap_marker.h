// HeapMarker: a baseline that marks Jackdaw's own objects, through the same object model, with the tasks of
// another library's scheduler.
//
// The next collection clears the marks, so the heap stays as it is. No other thread may use the heap during
// run().
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/baseline/baseline.h"
#include "gc/marking/object_model.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "mark/object_model.h"

namespace jackdaw::bench {

/// `Form` is the form of the scheduler's tasks, ByObject or ByPacket. It has
///
/// - `Task`, which is trivially copyable,
/// - `Marking<sharing, Spawn>`, whose `run(task)` marks all that is reachable from the task, except for the
///   tasks that it calls `Spawn` with,
/// - `add(task, tasks)`, which adds an object to visit to the scheduler's tasks.
template <typename Form>
class HeapMarker : public Baseline {
 public:
  using Task = typename Form::Task;

  /// Marks what is reachable from `roots` in `heap`, by at most `threads` threads. Both must outlive the
  /// object.
  HeapMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads)
      : heap_(heap), roots_(roots), alone_(threads == 1) {}

  [[nodiscard]] Phase phase() const final { return Phase::marking; }
  /// Clears all marks and marks from the roots, as a collection does.
  std::chrono::nanoseconds run() override {
    const auto start = std::chrono::steady_clock::now();
    heap_.clear_marks();
    mark_all(mark_roots());
    return std::chrono::steady_clock::now() - start;
  }

 protected:
  /// Marks all that is reachable from the task, except for the tasks that it calls `spawn` with. Any thread.
  template <typename Spawn>
  void mark(const Task& task, Spawn spawn) const {
    if (alone_) {
      typename Form::template Marking<mark::Sharing::exclusive, Spawn>(spawn).run(task);
    } else {
      typename Form::template Marking<mark::Sharing::shared, Spawn>(spawn).run(task);
    }
  }

 private:
  /// Runs every task, and those spawned by it, on the scheduler's threads, and returns when all are done.
  virtual void mark_all(const std::vector<Task>& tasks) = 0;

  [[nodiscard]] std::vector<Task> mark_roots() const {
    const gc::HeapObjectModel model;
    std::vector<Task> tasks;
    for (heap::Object* const root : roots_) {
      // No other thread has begun to mark.
      if (root == nullptr) continue;
      const gc::HeapObjectModel::Outcome outcome = model.mark(root, mark::Sharing::exclusive);
      if (outcome.is_newly_marked() && !outcome.is_leaf()) Form::add(outcome.task(), tasks);
    }
    return tasks;
  }

  heap::Heap& heap_;
  const std::span<heap::Object* const> roots_;
  const bool alone_;
};

}  // namespace jackdaw::bench
