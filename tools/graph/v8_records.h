// V8Records: reads the records of a heap snapshot of V8 and checks each.
//
// A snapshot is one JSON object: "snapshot" (the names of fields and kinds, and how many records there are),
// then the numbers "nodes" and "edges", some to a record, then "strings". The edges are those of the first
// node, then of the second, and so on. Memory is bounded whatever the file says: nlohmann-json parses the
// stream and keeps one value, and JsonText cuts those that may be long. Invariant: a visitor sees as many
// records as the snapshot says, each with all fields and a kind with a name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/graph/byte_source.h"

namespace jackdaw::tools {

struct V8Node {
  std::uint64_t kind = 0;  ///< its number among all kinds
  std::uint64_t name = 0;  ///< the number of a string; may be out of range
  std::uint64_t identifier = 0;
  std::uint64_t self_bytes = 0;
  std::uint64_t edge_count = 0;
};

struct V8Edge {
  std::uint64_t kind = 0;    ///< its number among all kinds
  std::uint64_t name = 0;    ///< an index, or the number of a string, which may be out of range
  std::uint64_t target = 0;  ///< the number of a node
};

/// Visits each record. All nodes come first, then all edges, then the strings.
class V8Visitor {
 public:
  virtual ~V8Visitor() = default;
  /// Gives the names of the kinds of nodes, and of edges.
  virtual void begin_nodes(const std::vector<std::string>& node_kinds,
                           const std::vector<std::string>& edge_kinds) = 0;
  virtual void visit_node(const V8Node& node) = 0;
  virtual void visit_edge(const V8Edge& edge) = 0;
  /// `text`: UTF-8; of a long string the beginning.
  virtual void visit_string(std::uint64_t number, const std::string& text) = 0;
};

/// Goes over every record of the snapshot in `source`, which is at its start. Throws InputError for what is
/// not a whole snapshot.
void visit_v8_snapshot(ByteSource& source, V8Visitor& visitor);

}  // namespace jackdaw::tools
