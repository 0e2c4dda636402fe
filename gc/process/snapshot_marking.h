// SnapshotMarking: marks the heap in a copy of the process that was forked while the program was stopped.
//
// The copy has no mark threads, and a stopped thread may have held a lock of malloc's. So one thread marks,
// with memory from the system alone.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/page_vector.h"
#include "gc/marking/mark_task.h"
#include "gc/marking/object_model.h"
#include "gc/report/dump/dump_format.h"
#include "gc/weak/weak_references.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// One marking. The roots are passed by its functions (RootSet::read).
class SnapshotMarking {
 public:
  /// Clears all marks. The heap is swept.
  SnapshotMarking(heap::Heap& heap, WeakReferences& weak_references);

  void begin_roots(DumpRoots, pid_t = 0, std::uintptr_t = 0) {}
  /// Marks from words that may be addresses in objects. `all_count`: all interior pointers count.
  void add_words(heap::Words words, bool all_count);
  /// Marks from an address in an object, or in none.
  void add_object(std::uintptr_t place, std::uintptr_t address);
  void end_roots() {}
  /// Marks from uncollectable objects, and the values of ephemerons, when all roots have been passed. Returns
  /// whether there was memory for all of it.
  [[nodiscard]] bool finish();

 private:
  // The sink for HeapObjectModel::visit.
  struct Sink {
    SnapshotMarking& marking;
    void reference(heap::Object* object) { marking.mark(object); }
    void task(MarkTask task) { marking.push(task); }
  };

  void mark(heap::Object* object);
  void push(MarkTask task) { has_failed_ = !tasks_.append(task) || has_failed_; }
  void visit_all();

  heap::Heap& heap_;
  WeakReferences& weak_references_;
  const HeapObjectModel model_;
  base::PageVector<MarkTask> tasks_;
  bool has_failed_ = false;  // for lack of memory
};

}  // namespace jackdaw::gc
