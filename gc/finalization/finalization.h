// Finalization: the steps of a process's collector between marking and sweeping, in the order that the C
// interface promises.
#pragma once

#include "gc/finalization/finalizers.h"
#include "gc/finalization/toggle_references.h"
#include "gc/finalization/weak_links.h"
#include "gc/finalization/weak_processing.h"

namespace jackdaw::gc {

/// The tables of a process. Their user holds the collector's lock. They hold addresses of objects, so their
/// owner keeps them out of the scanned memory.
struct Finalization {
  /// `heap`: that of the objects.
  explicit Finalization(const heap::Heap& heap) : short_links(heap), long_links(heap) {}

  Finalizers finalizers;
  WeakLinks short_links;
  WeakLinks long_links;
  ToggleReferences toggle_references;

  /// Calls `function(std::uintptr_t)` for every word of the tables that may be the address of something to
  /// keep.
  template <typename Function>
  void for_each_root(Function function) const {
    finalizers.for_each_root(function);
    toggle_references.for_each_root(function);
  }

  /// Forgets what was registered for objects that the program has freed since, and in them. Called before
  /// process() and drop() where it may have freed any. O(tables).
  void forget_freed(const WeakProcessing& marking);
  /// Clears links, makes finalizers ready and marks what they need. Called while all other threads are
  /// stopped and everything reachable from roots is marked. Nothing here then refers to unmarked objects,
  /// which may be freed.
  void process(WeakProcessing& marking, bool java);
  /// Forgets all finalizers, those of marked objects too, and clears the links to unmarked objects. Called as
  /// process() is, where nothing more is to be marked.
  void drop(const WeakProcessing& marking);
};

}  // namespace jackdaw::gc
