// Which nodes the roots reach.
#include "tools/graph/reachable_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/tools/graph/graph_invariants.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::tools {
namespace {

TEST(ReachableNodes, FollowsReferencesFromEveryRoot) {
  Graph graph = make_graph("list:4");
  EXPECT_EQ(reachable_nodes(graph), (std::vector<bool>{true, true, true, true}));
  graph.slots[1] = kNullNode;
  EXPECT_EQ(reachable_nodes(graph), (std::vector<bool>{true, true, false, false}));
  graph.roots.push_back(3);
  EXPECT_EQ(reachable_nodes(graph), (std::vector<bool>{true, true, false, true}));
  graph.slots[3] = 0;
  EXPECT_EQ(reachable_nodes(graph), (std::vector<bool>{true, true, false, true}));
  graph.roots.clear();
  EXPECT_EQ(reachable_nodes(graph), std::vector<bool>(4, false));
}

TEST(ReachableNodes, AreAsManyAsTheGraphHas) {
  for (const std::string spec : {"tree:10", "random:5000,2", "rmat:10,8", "comb:20,20"}) {
    const Graph graph = make_graph(spec);
    EXPECT_EQ(std::ranges::count(reachable_nodes(graph), true), reachable(graph).nodes) << spec;
  }
}

}  // namespace
}  // namespace jackdaw::tools
