// Finalization: what a process's collector does between marking and sweeping, in the order that the C
// interface promises.
#pragma once

#include "gc/finalization/finalizers.h"
#include "gc/finalization/toggle_references.h"
#include "gc/finalization/weak_links.h"
#include "gc/finalization/weak_processing.h"

namespace jackdaw::gc {

/// The tables of a process. Not locked: their user holds the collector's allocation lock. They hold addresses
/// of objects, so their owner keeps them out of what is scanned.
struct Finalization {
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

  /// Called when all that the roots lead to is marked, while all other threads are stopped: clears links,
  /// makes finalizers ready and marks what these need. Objects that are unmarked afterwards may be freed, and
  /// nothing here refers to them.
  void process(WeakProcessing& marking, bool java);
};

}  // namespace jackdaw::gc
