// Verification: a second marking, which finds out whether the first one left anything out (JACKDAW_VERIFY).
//
// It is serial, has a mark bitmap of its own, looks at each word by itself, and keeps the way that it came:
// of what the first marking does for speed it does nothing. It runs while the program stands still, when
// nothing more will be marked and nothing is swept: all that it finds must be marked.
//
// Source: the "checkmark" mode of Go's collector (runtime/mcheckmark.go) does the same after its marking.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/page_vector.h"
#include "gc/marking/mark_engine.h"
#include "gc/marking/mark_task.h"
#include "gc/marking/object_model.h"
#include "gc/report/dump/dump_format.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// One verification of a collection with that number. The roots come by its functions. Asks for pages of the
/// system's alone; where there are none, says so on the error output, and what is left is not verified.
class Verification {
 public:
  Verification(heap::Heap& heap, const MarkedHeap& marked, std::uint64_t collection);
  ~Verification();
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  /// Says where the roots lie that follow. `thread`: its number, or 0.
  void begin_roots(DumpRoots where, pid_t thread = 0, std::uintptr_t stack_end = 0);
  /// Follows words that may be addresses in objects. `all_count`: also those that are no displacements. Ends
  /// the program with a line, here and below, when an object is found that is not marked.
  void add_words(heap::Words words, bool all_count);
  /// Follows an address at `place`, or at no place in the program's memory: 0.
  void add_object(std::uintptr_t place, std::uintptr_t address);
  void end_roots() {}
  /// Follows the objects that no collection frees.
  void add_uncollectable();

 private:
  // A task on the way: to be visited, or visited, so that what lies above it was found in it.
  struct Step {
    MarkTask task;
    bool is_visited;
  };
  // For HeapObjectModel::visit.
  struct Sink {
    Verification& verification;
    void reference(heap::Object* object) { verification.find(object); }
    void task(MarkTask task) { verification.push(task); }
  };

  void follow(std::uintptr_t place, heap::Object* object);
  void find(heap::Object* object);
  void push(MarkTask task);
  bool note(const heap::Object* object);
  void give_up();
  [[noreturn]] void end_program(heap::Object* missing);

  heap::Heap& heap_;
  const HeapObjectModel model_;
  const std::uint64_t collection_;
  std::span<std::byte> found_;  // a bit for each granule; empty: nothing is verified any more
  base::PageVector<Step> way_;
  // Where the root at hand lies.
  const char* where_ = "";
  pid_t thread_ = 0;
  std::uintptr_t place_ = 0;
};

}  // namespace jackdaw::gc
