// ObjectMarking: the simplest way to mark with a task scheduler: one task for each object.
//
// Visiting an object marks the objects it refers to and spawns a task for each that was not marked before.
// Each part of a big array is a task, too.
//
// One thread uses an object.
#pragma once

#include <vector>

#include "gc/marking/mark_task.h"
#include "gc/marking/object_model.h"
#include "heap/object.h"
#include "mark/object_model.h"

namespace jackdaw::bench {

/// `Spawn` is called with each task that is left for later, or for another thread.
template <mark::Sharing kSharing, typename Spawn>
class ObjectMarking {
 public:
  explicit ObjectMarking(Spawn& spawn) : spawn_(spawn) {}

  /// Marks what the task's object refers to.
  void run(gc::MarkTask task) { model_.visit(task, *this); }

  /// Called by the object model for a reference.
  void reference(heap::Object* object) {
    const gc::HeapObjectModel::Outcome outcome = model_.mark(object, kSharing);
    if (outcome.is_newly_marked() && !outcome.is_leaf()) spawn_(outcome.task());
  }
  /// Called by the object model for a part of the object.
  void task(gc::MarkTask task) { spawn_(task); }

 private:
  Spawn& spawn_;
  gc::HeapObjectModel model_;
};

/// The form of tasks for HeapMarker: one object.
struct ByObject {
  using Task = gc::MarkTask;
  template <mark::Sharing kSharing, typename Spawn>
  using Marking = ObjectMarking<kSharing, Spawn>;

  static void add(gc::MarkTask task, std::vector<Task>& tasks) { tasks.push_back(task); }
};

}  // namespace jackdaw::bench
