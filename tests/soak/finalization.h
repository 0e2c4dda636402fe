// Finalization: finalizers of graphs' entries, of all kinds, and the checks that their calls make.
#pragma once

#include <cstddef>
#include <memory>

#include "tests/soak/graph.h"
#include "tests/soak/random.h"

namespace jackdaw::soak {

/// The data of a finalizer. Lives until its call.
struct Finalization {
  std::size_t kind;
  FinalizerCalls calls;
  std::weak_ptr<const Graph> graph;
};

/// One for the entry of a graph that is being made, or null; it may change the entry's edges.
Finalization* finalization_by_chance(Random& random, Node* entry);

/// Registers it. Once it is called, `graph` must be unreachable.
void register_finalizer(Node* entry, Finalization* finalization, const Reference& graph);

/// Calls the finalizers that are ready.
void invoke_finalizers();

}  // namespace jackdaw::soak
