// StoppedProgram: a heap and the tables of finalizers and links, with roots that a test names, collected as a
// process's collector does it while all threads are stopped.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gc/finalization/finalization.h"
#include "gc/finalization/weak_processing.h"
#include "gc/marking/collection.h"
#include "gc/marking/mark_engine.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/kind.h"
#include "heap/object.h"
#include "heap/word_scan.h"
#include "tests/address_space_limit.h"

namespace jackdaw::gc {

class StoppedProgram {
 private:
  heap::Heap heap_{std::size_t{256} << 20};

 public:
  explicit StoppedProgram(const MarkingOptions& options = {}) : marking_(make_mark_engine(options)) {}

  /// Any word of the object may be an address.
  heap::Object* allocate(std::size_t words = 4) {
    return allocator_.allocate_plain(words * heap::kWordBytes, heap::KindNumber::words);
  }
  /// No word is one.
  heap::Object* allocate_data(std::size_t words = 4) {
    return allocator_.allocate_plain(words * heap::kWordBytes, heap::KindNumber::data);
  }

  /// The words of objects in a slot, in a few blocks, in many, and in a chunk of their own.
  static constexpr std::array<std::size_t, 4> kAllSizes = {4, 5000, 20'000, std::size_t{1} << 20};
  void free(heap::Object* object) { allocator_.free(object); }

  CollectionResult collect(bool java = false) {
    begin();
    run(java);
    return finish();
  }
  /// The system refuses all memory from when the roots are gathered to when the sweep is over.
  CollectionResult collect_without_memory() {
    begin();
    {
      const AddressSpaceLimit no_memory(0);
      run(false);
    }
    return finish();
  }

  /// Whether the last collection kept the object. To be asked before anything else is allocated.
  [[nodiscard]] bool is_there(const heap::Object* object) const { return heap_.object_at(object) == object; }

  /// Takes all objects that are ready, in order.
  std::vector<heap::Object*> take_ready() {
    std::vector<heap::Object*> objects;
    for (ReadyFinalizer ready; tables.finalizers.take_ready(ready);) objects.push_back(ready.object);
    return objects;
  }

  Finalization tables{heap_};
  std::vector<heap::Object*> roots;

 private:
  void begin() {
    collection_.begin(*marking_);
    all_roots_ = roots;
    tables.for_each_root([this](std::uintptr_t word) {
      if (heap::Object* const object = heap::slot_at_word(heap_.map(), word)) all_roots_.push_back(object);
    });
  }
  void run(bool java) {
    collection_.mark(all_roots_);
    if (heap_.take_objects_ended()) tables.forget_freed(weak_processing_);
    tables.process(weak_processing_, java);
    collection_.sweep(heap::OwnedBlocks::taken_back);
  }
  CollectionResult finish() { return collection_.finish(std::chrono::steady_clock::now()); }

  heap::Allocator allocator_{heap_};
  std::unique_ptr<MarkEngine> marking_;
  Collection collection_{heap_};
  WeakProcessing weak_processing_{collection_};
  std::vector<heap::Object*> all_roots_;
};

/// The address of a word of an object, as a link of the program.
inline void** link_in(heap::Object* object, std::size_t word = 0) {
  return reinterpret_cast<void**>(object->slot(word));
}

/// Registers `object`; the finalizer before is not asked for.
inline bool register_finalizer(Finalization& tables, heap::Object* object, FinalizerKind kind,
                               void* data = nullptr) {
  Finalizer old;
  return tables.finalizers.register_finalizer(object, {[](void*, void*) {}, data, kind}, old);
}

}  // namespace jackdaw::gc
