// The generated graphs: how many nodes, which references, in which order.
#include "tools/graph/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/tools/graph/graph_invariants.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::tools {
namespace {

/// The graph that `spec` describes, its invariants checked.
Graph checked(const std::string& spec, const GraphOptions& options = {}) {
  Graph graph = make_graph(spec, options);
  EXPECT_EQ(broken_invariant(graph), "") << spec;
  return graph;
}

TEST(Tree, IsCompleteAndInPreorder) {
  const Graph graph = checked("tree:2");
  EXPECT_EQ(graph.node_count, 7U);
  const NodeId null = kNullNode;
  EXPECT_EQ(graph.slots,
            (std::vector<NodeId>{1, 4, 2, 3, null, null, null, null, 5, 6, null, null, null, null}));
  EXPECT_EQ(graph.roots, std::vector<NodeId>{0});
}

TEST(Tree, OfDepthZeroIsALeaf) { EXPECT_EQ(checked("tree:0").slots, std::vector<NodeId>(2, kNullNode)); }

TEST(Tree, ReachesEveryNodeOnce) {
  const Reachable found = reachable(checked("tree:16"));
  EXPECT_EQ(found.nodes, 131'071U);
  EXPECT_EQ(found.references, 131'070U);
}

TEST(List, RunsFromItsHead) {
  const Graph graph = checked("list:4");
  EXPECT_EQ(graph.slots, (std::vector<NodeId>{1, 2, 3, kNullNode}));
  EXPECT_EQ(graph.roots, std::vector<NodeId>{0});
  EXPECT_EQ(checked("list:1").slots, std::vector<NodeId>{kNullNode});
}

TEST(Array, HoldsDistinctObjects) {
  const Graph graph = checked("array:3");
  EXPECT_EQ(graph.node_count, 4U);
  EXPECT_EQ(graph.slots, (std::vector<NodeId>{1, 2, 3}));
  EXPECT_EQ(graph.type_of(0).layout, NodeType::Layout::array);
  EXPECT_EQ(graph.type_of(1).layout, NodeType::Layout::data);
  EXPECT_EQ(graph.bytes_of(0), 48U);  // 16 + 3 * 8, but not below the object size
  EXPECT_EQ(checked("array:10").bytes_of(0), 96U);
  EXPECT_EQ(reachable(graph).nodes, 4U);
}

TEST(Ordered, IsCompleteAndBreadthFirst) {
  const Graph graph = checked("ordered:5,3");
  const NodeId null = kNullNode;
  EXPECT_EQ(graph.slots, (std::vector<NodeId>{1, 2, 3, 4, null, null, null, null, null, null, null, null,
                                              null, null, null}));
  EXPECT_TRUE(graph.allocation_order.empty());
  EXPECT_EQ(reachable(checked("ordered:100000,4")).nodes, 100'000U);
}

TEST(Shuffled, IsTheSameTreeInAnotherOrder) {
  const Graph graph = checked("shuffled:1000,4");
  EXPECT_EQ(graph.slots, checked("ordered:1000,4").slots);
  ASSERT_EQ(graph.allocation_order.size(), 1000U);
  EXPECT_FALSE(std::is_sorted(graph.allocation_order.begin(), graph.allocation_order.end()));
}

TEST(Shuffled, EveryOrderIsAboutAsLikely) {
  std::vector<int> counts(6);
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const auto order =
        make_shuffled("x", 3, 1, {.seed = seed, .memory_limit_bytes = 1 << 20}).allocation_order;
    ++counts[2 * order[0] + (order[1] > order[2])];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(RandomGraph, HasItsDegreeAndUniformTargets) {
  const Graph graph = checked("random:1000,100");
  EXPECT_EQ(graph.slots.size(), 100'000U);
  EXPECT_EQ(graph.type_of(0).references, 100U);
  std::vector<int> in_degrees(1000);
  for (const NodeId target : graph.slots) ++in_degrees[target];
  for (const int degree : in_degrees) EXPECT_NEAR(degree, 100, 60);
}

TEST(Comb, HasASpineAndTeeth) {
  const Graph graph = checked("comb:2,2");
  const NodeId null = kNullNode;
  EXPECT_EQ(graph.slots, (std::vector<NodeId>{3, 1, 2, null, null, null, null, 4, 5, null, null, null}));
  EXPECT_EQ(reachable(checked("comb:100,50")).nodes, 5'100U);
}

TEST(Synthetic, LayersReferToAllOfTheNext) {
  const Graph graph = checked("layers:3,2");
  const NodeId null = kNullNode;
  EXPECT_EQ(graph.slots, (std::vector<NodeId>{2, 3, 2, 3, 4, 5, 4, 5, null, null, null, null}));
  EXPECT_EQ(graph.roots, (std::vector<NodeId>{0, 1}));
  EXPECT_EQ(reachable(checked("layers:500,3")).nodes, 1'500U);
  EXPECT_EQ(reachable(checked("layers:1,1")).nodes, 1U);
}

TEST(Synthetic, ObjectsAreAsLargeAsAskedOrAsNeeded) {
  EXPECT_EQ(checked("list:5").uniform_bytes, 48U);
  EXPECT_EQ(checked("list:5", {.object_bytes = 8}).uniform_bytes, 16U);
  EXPECT_EQ(checked("list:5", {.object_bytes = 17}).uniform_bytes, 24U);
  EXPECT_EQ(checked("random:5,10").uniform_bytes, 88U);
}

TEST(Synthetic, WithoutHeadersObjectsAreTheirReferences) {
  const auto bytes = [](const std::string& spec, std::uint64_t node) {
    return checked(spec, {.object_bytes = 8, .headers = false}).bytes_of(static_cast<NodeId>(node));
  };
  EXPECT_EQ(bytes("list:5", 0), 8U);
  EXPECT_EQ(bytes("tree:3", 0), 16U);
  EXPECT_EQ(bytes("ordered:5,4", 0), 32U);
  EXPECT_EQ(bytes("array:10", 0), 80U);
  EXPECT_EQ(bytes("array:10", 1), 8U);
  EXPECT_EQ(checked("tree:3", {.headers = false}).uniform_bytes, 48U);
  const Graph rmat = checked("rmat:5,8", {.object_bytes = 8, .headers = false});
  const std::size_t degree = rmat.slots_of(rmat.roots[0]).size();
  EXPECT_EQ(rmat.bytes_of(rmat.roots[0]), 8 * degree);
  EXPECT_EQ(rmat.first_slot_word(NodeType::Layout::array), 0U);
}

TEST(Synthetic, HeadersComeBeforeTheSlots) {
  const Graph graph = checked("list:1");
  EXPECT_EQ(graph.first_slot_word(NodeType::Layout::record), 1U);
  EXPECT_EQ(graph.first_slot_word(NodeType::Layout::array), 2U);
}

TEST(Synthetic, SeedDecidesAndNothingElse) {
  EXPECT_EQ(checked("random:100,3").slots, checked("random:100,3").slots);
  EXPECT_NE(checked("random:100,3", {.seed = 2}).slots, checked("random:100,3").slots);
  EXPECT_EQ(checked("shuffled:100,3").allocation_order, checked("shuffled:100,3").allocation_order);
  EXPECT_NE(checked("shuffled:100,3", {.seed = 2}).allocation_order,
            checked("shuffled:100,3").allocation_order);
}

}  // namespace
}  // namespace jackdaw::tools
