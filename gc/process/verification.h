// Verification: a second marking that checks whether the first one missed anything (JACKDAW_VERIFY).
//
// It is serial, has a mark bitmap of its own, reads each word by itself, keeps the way to each object, and
// uses none of the first marking's optimisations. It runs while the program is stopped, after the last
// marking and before the sweep: all that it finds must be marked.
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

/// One verification, of the collection with that number. The roots are passed by its functions. It takes only
/// pages from the system; where there are none, it says so on the error output and verifies no further.
class Verification {
 public:
  Verification(heap::Heap& heap, const MarkedHeap& marked, std::uint64_t collection);
  ~Verification();
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  /// Says where the following roots lie. `thread`: its number, or 0.
  void begin_roots(DumpRoots where, pid_t thread = 0, std::uintptr_t stack_end = 0);
  /// Follows words that may be addresses in objects. `all_count`: all interior pointers count. Ends the
  /// program with a line, here and below, when it finds an unmarked object.
  void add_words(heap::Words words, bool all_count);
  /// Follows an address at `place`; 0: it lies at no place in the program's memory.
  void add_object(std::uintptr_t place, std::uintptr_t address);
  void end_roots() {}
  /// Follows the uncollectable objects.
  void add_uncollectable();

 private:
  // A task on the way, visited or not: the steps above a visited one were found in it.
  struct Step {
    MarkTask task;
    bool is_visited;
  };
  // The sink for HeapObjectModel::visit.
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
  std::span<std::byte> found_;  // a bit for each granule; empty: nothing more is verified
  base::PageVector<Step> way_;
  // Where the present root lies.
  const char* where_ = "";
  pid_t thread_ = 0;
  std::uintptr_t place_ = 0;
};

}  // namespace jackdaw::gc
