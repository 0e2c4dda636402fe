// Dominators of random graphs, beside their definition: a node dominates another when nothing leads there any
// more once it is gone.
#include "tools/heap/dominators.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace jackdaw::tools {
namespace {

FlatGraph random_graph(std::mt19937& random) {
  FlatGraph graph;
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  const std::uint32_t nodes = 1 + below(12);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::uint32_t left = below(4); left > 0; --left) graph.successors.push_back(below(nodes));
    graph.end_node();
  }
  return graph;
}

// Returns the nodes that node 0 reaches without `gone`.
std::vector<bool> reached_without(const FlatGraph& graph, std::uint32_t gone) {
  std::vector<bool> reached(graph.size());
  std::vector<std::uint32_t> waiting;
  const auto visit = [&](std::uint32_t node) {
    if (node == gone || reached[node]) return;
    reached[node] = true;
    waiting.push_back(node);
  };
  visit(0);
  while (!waiting.empty()) {
    const std::uint32_t node = waiting.back();
    waiting.pop_back();
    for (const std::uint32_t next : graph.of(node)) visit(next);
  }
  return reached;
}

TEST(Dominators, AreThoseOfTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    const FlatGraph graph = random_graph(random);
    const auto dominators = immediate_dominators(graph);
    const std::vector<std::uint64_t> ones(graph.size(), 1);
    const auto sums = retained(graph, dominators, ones);
    const std::vector<bool> reached = reached_without(graph, kNoNode);
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
      const std::vector<bool> left = reached_without(graph, node);
      std::uint64_t lost = 0;
      for (std::uint32_t other = 0; other < graph.size(); ++other) lost += reached[other] && !left[other];
      if (reached[node]) {
        ASSERT_EQ(sums[node], lost) << "round " << round << ", node " << node;
      } else {
        ASSERT_EQ(dominators[node], kNoNode);
      }
    }
  }
}

TEST(Dominators, AreFoundAlongALongList) {
  constexpr std::uint32_t kLength = 1'000'000;
  FlatGraph graph;
  for (std::uint32_t node = 0; node < kLength; ++node) {
    if (node + 1 < kLength) graph.successors.push_back(node + 1);
    graph.end_node();
  }
  const auto dominators = immediate_dominators(graph);
  for (std::uint32_t node = 1; node < kLength; ++node) ASSERT_EQ(dominators[node], node - 1);
  EXPECT_EQ(retained(graph, dominators, std::vector<std::uint64_t>(kLength, 16))[1], 16U * (kLength - 1));
}

}  // namespace
}  // namespace jackdaw::tools
