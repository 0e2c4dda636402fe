// The skewed random graph.
#include "tools/graph/rmat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/tools/graph/graph_invariants.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::tools {
namespace {

std::size_t degree(const Graph& graph, NodeId node) { return graph.slots_of(node).size(); }

TEST(Rmat, HasItsNodesAndEdges) {
  const Graph graph = make_graph("rmat:10,16");
  EXPECT_EQ(broken_invariant(graph), "");
  EXPECT_EQ(graph.node_count, 1024U);
  EXPECT_EQ(graph.slots.size(), 16U * 1024);
  EXPECT_EQ(graph.type_of(0).layout, NodeType::Layout::array);
}

TEST(Rmat, RootIsTheFirstOfTheBusiestNodes) {
  const Graph graph = make_graph("rmat:8,4");
  ASSERT_EQ(graph.roots.size(), 1U);
  const NodeId root = graph.roots.front();
  for (NodeId node = 0; node < graph.node_count; ++node) {
    EXPECT_LE(degree(graph, node), degree(graph, root));
    if (node < root) {
      EXPECT_LT(degree(graph, node), degree(graph, root));
    }
  }
}

TEST(Rmat, DegreesAreSkewed) {
  const Graph graph = make_graph("rmat:12,16");
  // By the probabilities, the busiest node sends (.57 + .19)^12 of all edges: 3.7 %, 2,434 of 65,536.
  EXPECT_NEAR(static_cast<double>(degree(graph, graph.roots.front())), 2434, 250);
  std::vector<int> in_degrees(graph.node_count);
  for (const NodeId target : graph.slots) ++in_degrees[target];
  EXPECT_NEAR(*std::max_element(in_degrees.begin(), in_degrees.end()), 2434, 250);
}

TEST(Rmat, BusyNodesAreSpreadOut) {
  const Graph graph = make_graph("rmat:12,16");
  const std::uint64_t middle = graph.slot_begin[graph.node_count / 2];
  EXPECT_NEAR(static_cast<double>(middle), 32'768, 10'000);
}

TEST(Rmat, OfOneNodeHasOnlyItself) {
  const Graph graph = make_graph("rmat:0,3");
  EXPECT_EQ(broken_invariant(graph), "");
  EXPECT_EQ(graph.slots, std::vector<NodeId>(3, 0));
}

TEST(Rmat, NodesAreAsLargeAsAskedOrAsNeeded) {
  const Graph graph = make_graph("rmat:6,8", {.object_bytes = 100});
  for (NodeId node = 0; node < graph.node_count; ++node) {
    EXPECT_EQ(graph.bytes_of(node), std::max<std::uint64_t>(104, 16 + 8 * degree(graph, node)));
  }
}

TEST(Rmat, SeedDecidesAndNothingElse) {
  EXPECT_EQ(make_graph("rmat:6,8").slots, make_graph("rmat:6,8").slots);
  EXPECT_NE(make_graph("rmat:6,8", {.seed = 2}).slots, make_graph("rmat:6,8").slots);
}

}  // namespace
}  // namespace jackdaw::tools
