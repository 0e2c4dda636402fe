// Node: a real object of the collector's heap, with edges to others and a payload, an object of data.
//
// A node holds its identity and size, so one that nothing is known of any more can be checked, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace jackdaw::soak {

/// How a node is allocated.
enum class NodeKind : std::uint8_t { plain, typed, near_start };

struct Node {
  std::uint64_t seal;  // of the identity
  std::uint32_t edge_count;
  std::uint32_t payload_words;
  std::uint64_t finalizations;
  std::uintptr_t noise;  // in a typed node the address of an object, which it does not keep
  std::uint64_t* payload;

  /// Behind the node. An edge may lead anywhere into another node: use target_of.
  [[nodiscard]] std::span<std::uintptr_t> edges() {
    return {reinterpret_cast<std::uintptr_t*>(this + 1), edge_count};
  }
};

/// A node of its own identity without edges, or null when there is no memory.
Node* new_node(std::uint64_t identity, std::uint32_t edge_count, NodeKind kind);
/// Gives the node a payload of `words` words; one that it had grows (GC_REALLOC) or is freed (GC_FREE). It
/// may stay as it is when there is no memory.
void set_payload(Node* node, std::uint32_t words);
/// Frees node and payload (GC_FREE).
void free_node(Node* node);

/// The word of an edge to a node: one of several addresses in it.
std::uintptr_t edge_to(const Node* node, std::uint64_t choice);
/// Where an edge leads, or null.
Node* target_of(std::uintptr_t edge);

/// The bytes that a node and its payload take at least.
std::size_t bytes_of(const Node* node);
/// Its identity. Fails unless it is one.
std::uint64_t identity_of(const Node* node);
/// Fails unless the node is an object of the heap with its own payload.
void check_intact(const Node* node);
/// As check_intact() for all nodes that `node` leads to, at most `most`.
void check_reachable(Node* node, std::size_t most);

}  // namespace jackdaw::soak
