// PersistentNode: the place outside the heap where a Persistent holds its reference.
#pragma once

#include <atomic>
#include <cstdint>

namespace jackdaw::gc {

/// A node of a table (persistent_nodes.h).
struct PersistentNode {
  /// An address in an object, or 0. Accesses are relaxed: threads that share a node synchronise, and a
  /// collection synchronises with all threads.
  std::atomic<std::uintptr_t> word;
  /// An address in the code that acquired the node.
  const void* maker;
};

}  // namespace jackdaw::gc
