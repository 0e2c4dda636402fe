// The random integers in objects, for code that builds a graph's heap.
#pragma once

#include <cstdint>

#include "tools/graph/graph.h"
#include "tools/graph/random.h"

namespace jackdaw::tools {

/// Fills the words behind the references of the node's object, which begins at `words`, with random integers
/// of 64 bits, if its type asks for them.
inline void fill_with_numbers(const Graph& graph, NodeId node, std::uint64_t* words) {
  const NodeType& type = graph.type_of(node);
  if (!type.has_numbers) return;
  Random random(Random::mix(graph.numbers_seed) + node);
  const std::uint64_t end = graph.bytes_of(node) / sizeof(std::uint64_t);
  for (std::uint64_t word = graph.first_slot_word(type.layout) + graph.slots_of(node).size(); word < end;
       ++word) {
    words[word] = random.next();
  }
}

}  // namespace jackdaw::tools
