// PersistentNode: what a Persistent holds: a place outside the heap with a reference to an object.
#pragma once

#include <atomic>
#include <cstdint>

namespace jackdaw::gc {

/// One of a table's (persistent_nodes.h).
struct PersistentNode {
  /// An address in an object, or 0. Relaxed accesses do: threads that share a node synchronise, and a
  /// collection does with all threads.
  std::atomic<std::uintptr_t> word;
  /// In the code that acquired it.
  const void* maker;
};

}  // namespace jackdaw::gc
