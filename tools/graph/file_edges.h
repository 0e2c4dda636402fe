// FileEdges: the edges of a file, until all are known and become a graph.
#pragma once

#include <cstdint>
#include <deque>

#include "tools/graph/byte_source.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Takes 8 bytes for each edge. One thread may use an object.
class FileEdges {
 public:
  /// Messages name `source` as the place of an error.
  FileEdges(const ByteSource& source, const GraphOptions& options) : source_(source), options_(options) {}

  void add(NodeId from, NodeId to) { edges_.push_back({from, to}); }
  [[nodiscard]] std::uint64_t size() const { return edges_.size(); }

  /// Throws InputError when a graph of `nodes` nodes with the edges so far, together with `table_bytes` for
  /// reading, cannot fit in memory.
  void require_memory_so_far(std::uint64_t nodes, std::uint64_t table_bytes) const;

  /// Returns the graph of `nodes` nodes with these edges: arrays, of which the first with the most references
  /// is the root. Throws InputError when it does not fit in memory. O(nodes + edges).
  [[nodiscard]] Graph make_graph(std::uint64_t nodes) const;

 private:
  struct Edge {
    NodeId from;
    NodeId to;
  };
  /// For each node the graph holds where its slots begin, its size and its identifier.
  static constexpr std::uint64_t kBytesPerNode = 3 * sizeof(std::uint64_t);

  const ByteSource& source_;
  const GraphOptions& options_;
  std::deque<Edge> edges_;
};

}  // namespace jackdaw::tools
