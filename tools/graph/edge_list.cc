#include "tools/graph/edge_list.h"

#include <fmt/format.h>

#include "tools/graph/file_edges.h"
#include "tools/graph/identifier_index.h"
#include "tools/graph/text_lines.h"

namespace jackdaw::tools {

namespace {

[[noreturn]] void fail_no_edge(const TextLines& lines) {
  lines.fail("must be an edge: two whole numbers, FROM and TO; only numbers may follow");
}

NodeId take_node(TextLines& lines, IdentifierIndex& nodes) {
  const auto identifier = lines.take_whole_number();
  if (!identifier) fail_no_edge(lines);
  if (nodes.size() == kMaximumNodes)
    lines.fail(fmt::format("more than {} nodes, the most that a graph can have", kMaximumNodes));
  return nodes.insert(*identifier).number;
}

}  // namespace

Graph read_edge_list(const std::string& path, const GraphOptions& options) {
  ByteSource source(path);
  return read_edge_list(source, options);
}

Graph read_edge_list(ByteSource& source, const GraphOptions& options) {
  TextLines lines(source, "#%");
  IdentifierIndex nodes;
  FileEdges edges(source, options);
  while (lines.next()) {
    const NodeId from = take_node(lines, nodes);
    edges.add(from, take_node(lines, nodes));
    while (!lines.at_end_of_line()) {
      if (!lines.take_number()) fail_no_edge(lines);
    }
    edges.require_memory_so_far(nodes.size(), nodes.size() * IdentifierIndex::kPeakBytesPerIdentifier);
  }
  if (edges.size() == 0) lines.fail("the file ends without an edge; must have one");
  Graph graph = edges.make_graph(nodes.size());
  if (options.as_in_file) graph.identifiers = nodes.identifiers();
  return graph;
}

}  // namespace jackdaw::tools
