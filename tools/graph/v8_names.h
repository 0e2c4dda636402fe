// V8Names: the names of properties, functions and sorts of roots in a heap snapshot of V8.
//
// Slots and nodes are added in the order of the graph; the strings that name them follow. A slot takes four
// bytes, a node that has a name eight, and each string that names one its beginning.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/graph/graph_names.h"
#include "tools/graph/identifier_index.h"

namespace jackdaw::tools {

class V8Names final : public GraphNames {
 public:
  /// `node_kinds`, `edge_kinds`: the names of all kinds in the snapshot.
  V8Names(const std::vector<std::string>& node_kinds, const std::vector<std::string>& edge_kinds);

  /// Adds a node with a string's number for its name, which only functions and roots keep.
  void add_node(NodeId node, std::uint64_t kind, std::uint64_t name);
  /// Adds the next slot of the graph.
  void add_slot(std::uint64_t kind, std::uint64_t name);
  /// Keeps a string if it names something.
  void add_string(std::uint64_t number, const std::string& text);
  /// Returns an upper bound of the bytes that all takes or will take.
  [[nodiscard]] std::uint64_t table_bytes() const;

  [[nodiscard]] std::string of_object(const Graph& graph, NodeId object) const override;
  [[nodiscard]] std::string of_slot(const Graph& graph, NodeId object, std::size_t slot) const override;

 private:
  enum class EdgeKind : std::uint8_t { other, context, element, property, internal, shortcut };

  [[nodiscard]] std::string text(std::uint32_t string) const;

  std::vector<bool> is_named_kind_;                      // by the numbers of nodes' kinds
  std::vector<EdgeKind> edge_kinds_;                     // by the numbers of edges' kinds
  std::vector<std::pair<NodeId, std::uint32_t>> nodes_;  // with strings, by ascending nodes
  std::vector<std::uint32_t> slots_;                     // kind and string, or index
  IdentifierIndex strings_;                              // by their numbers in the snapshot
  std::vector<std::string> texts_;
};

}  // namespace jackdaw::tools
