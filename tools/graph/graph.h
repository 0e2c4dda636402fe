// Graph: a heap graph as plain data, from which the benchmarks build Jackdaw's heap and every baseline's
// heap.
//
// The graph holds nodes (objects), their sizes and types, the reference slots of each node and the roots. It
// knows no heap. Nodes are numbered from 0; a slot holds a node's number or kNullNode. Slots are stored node
// by node ("compressed sparse rows"); graphs of uniform nodes store one number instead of one per node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace jackdaw::tools {

using NodeId = std::uint32_t;
using TypeId = std::uint32_t;

class GraphNames;

/// A slot that refers to nothing.
inline constexpr NodeId kNullNode = 0xffff'ffff;
/// The largest number of nodes that a graph can have.
inline constexpr std::uint64_t kMaximumNodes = kNullNode;

/// The bytes of an object's header, where it has one: a type word, as in a managed runtime.
inline constexpr std::uint64_t kHeaderBytes = 8;
/// The bytes of an array's header and its length.
inline constexpr std::uint64_t kArrayHeaderBytes = 16;
/// The bytes of a reference.
inline constexpr std::uint64_t kReferenceBytes = 8;

/// How the objects of one type are laid out.
struct NodeType {
  enum class Layout : std::uint8_t {
    data,    ///< header, then bytes without references
    record,  ///< header, then `references` references, then bytes without references
    array,   ///< header, length, then as many references as the node has slots
  };
  Layout layout = Layout::record;
  std::uint32_t references = 0;  ///< of a record: how many slots each of its nodes has
  std::string name;              ///< for people
  bool has_numbers = false;      ///< the bytes behind the references are random integers; else zero
};

/// A directed graph of typed, sized objects with roots.
///
/// Invariants: `slot_begin` is empty when every node has `uniform_slots` slots, else has node_count + 1
/// entries, ascending; `slots` has the slots of node 0, then of node 1 and so on; `node_types` and
/// `node_bytes` are empty when all nodes have `uniform_type` and `uniform_bytes`, else have an entry per
/// node; a node's bytes hold its header and its slots; `allocation_order` is empty (allocate by number) or a
/// permutation of all nodes.
struct Graph {
  std::string name;  ///< as the user named it, such as "tree:21"
  std::string note;  ///< one line for people about what the source holds beside the graph, or empty
  std::uint64_t node_count = 0;
  /// Whether objects start with a header. Without one, a record or array is only its slots and what follows,
  /// as in a C program, which knows types and lengths from elsewhere.
  bool has_headers = true;
  std::uint64_t numbers_seed = 0;  ///< of the random integers in objects

  std::uint64_t uniform_slots = 0;
  std::vector<std::uint64_t> slot_begin;
  std::vector<NodeId> slots;

  std::vector<NodeType> types;
  TypeId uniform_type = 0;
  std::vector<TypeId> node_types;
  std::uint64_t uniform_bytes = 0;
  std::vector<std::uint64_t> node_bytes;  ///< whole object, header included

  /// The nodes' numbers in the file, if they were requested (GraphOptions::as_in_file) and the file has them;
  /// otherwise empty.
  std::vector<std::uint64_t> identifiers;
  bool has_hexadecimal_identifiers = false;

  /// Names beside those of types, if they were requested (GraphOptions::as_in_file) and the file has them;
  /// otherwise null.
  std::shared_ptr<const GraphNames> names;

  std::vector<NodeId> roots;  ///< may name a node more than once
  std::vector<NodeId> allocation_order;
  /// Whether a traversal visits objects at random addresses, because of the order of allocation or of the
  /// references. True for heap dumps, where it is not known.
  bool is_scattered = false;

  [[nodiscard]] std::span<const NodeId> slots_of(NodeId node) const {
    if (slot_begin.empty()) return {slots.data() + node * uniform_slots, uniform_slots};
    return {slots.data() + slot_begin[node], slot_begin[node + 1] - slot_begin[node]};
  }
  [[nodiscard]] const NodeType& type_of(NodeId node) const {
    return types[node_types.empty() ? uniform_type : node_types[node]];
  }
  /// Returns the word of an object at which its slots begin.
  [[nodiscard]] std::size_t first_slot_word(NodeType::Layout layout) const {
    if (!has_headers) return 0;
    return (layout == NodeType::Layout::array ? kArrayHeaderBytes : kHeaderBytes) / kReferenceBytes;
  }
  [[nodiscard]] TypeId type_id_of(NodeId node) const {
    return node_types.empty() ? uniform_type : node_types[node];
  }
  [[nodiscard]] std::uint64_t bytes_of(NodeId node) const {
    return node_bytes.empty() ? uniform_bytes : node_bytes[node];
  }
  /// Returns the node with number `position` in the allocation order.
  [[nodiscard]] NodeId allocated_at(std::uint64_t position) const {
    return allocation_order.empty() ? static_cast<NodeId>(position) : allocation_order[position];
  }
};

}  // namespace jackdaw::tools
