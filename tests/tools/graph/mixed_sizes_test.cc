// The graphs whose objects differ in size.
#include "tools/graph/mixed_sizes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "tests/tools/graph/graph_invariants.h"
#include "tools/command/input_error.h"
#include "tools/graph/graph_spec.h"
#include "tools/graph/numbers.h"

namespace jackdaw::tools {
namespace {

TEST(Strings, AreEachAnObjectsOwn) {
  const Graph graph = make_graph("strings:3");
  EXPECT_EQ(broken_invariant(graph), "");
  EXPECT_EQ(graph.node_count, 7U);
  EXPECT_EQ(graph.slots, (std::vector<NodeId>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(graph.type_of(0).layout, NodeType::Layout::array);
  for (const NodeId object : {1U, 3U, 5U}) {
    EXPECT_EQ(graph.type_of(object).layout, NodeType::Layout::record);
    EXPECT_EQ(graph.bytes_of(object), 48U);
    EXPECT_EQ(graph.type_of(object + 1).layout, NodeType::Layout::data);
  }
  EXPECT_EQ(reachable(make_graph("strings:10000")).nodes, 20'001U);
}

TEST(Strings, HaveAllLengths) {
  for (const bool headers : {false, true}) {
    const Graph graph = make_graph("strings:1000", {.object_bytes = 8, .headers = headers});
    EXPECT_EQ(broken_invariant(graph), "");
    std::set<std::uint64_t> sizes;
    for (NodeId node = 2; node < graph.node_count; node += 2) sizes.insert(graph.bytes_of(node));
    EXPECT_EQ(sizes.size(), 8U);
    EXPECT_EQ(*sizes.begin(), headers ? 16U : 8U);
    EXPECT_EQ(*sizes.rbegin(), headers ? 72U : 64U);
    EXPECT_EQ(graph.bytes_of(1), headers ? 16U : 8U);
  }
}

TEST(Numbers, AreATreeOfObjectsOf16To512Bytes) {
  for (const bool headers : {false, true}) {
    const Graph graph = make_graph("numbers:5000", {.headers = headers});
    EXPECT_EQ(broken_invariant(graph), "");
    const Reachable found = reachable(graph);
    EXPECT_EQ(found.nodes, 5000U);
    EXPECT_EQ(found.references, 4999U);
    std::set<std::uint64_t> sizes;
    for (NodeId node = 0; node < graph.node_count; ++node) {
      sizes.insert(graph.bytes_of(node));
      EXPECT_EQ(graph.slots_of(node).size(), graph.bytes_of(node) / 16);
    }
    EXPECT_EQ(sizes.size(), 63U);
    EXPECT_EQ(*sizes.begin(), 16U);
    EXPECT_EQ(*sizes.rbegin(), 512U);
  }
}

TEST(Numbers, FillWhatFollowsTheReferences) {
  const Graph graph = make_graph("numbers:50", {.headers = false});
  for (NodeId node = 0; node < graph.node_count; ++node) {
    const std::uint64_t words = graph.bytes_of(node) / 8;
    std::vector<std::uint64_t> object(words + 1);
    fill_with_numbers(graph, node, object.data());
    for (std::uint64_t word = 0; word <= words; ++word)
      EXPECT_EQ(object[word] != 0, words / 2 <= word && word < words) << node << ", " << word;
  }
}

TEST(Numbers, FillNoOtherObjects) {
  const Graph graph = make_graph("list:1");
  std::vector<std::uint64_t> object(6);
  fill_with_numbers(graph, 0, object.data());
  EXPECT_EQ(object, std::vector<std::uint64_t>(6));
}

TEST(MixedSizes, SeedDecidesAndNothingElse) {
  for (const std::string spec : {"strings:100", "numbers:100"}) {
    EXPECT_EQ(make_graph(spec).node_bytes, make_graph(spec).node_bytes);
    EXPECT_NE(make_graph(spec, {.seed = 2}).node_bytes, make_graph(spec).node_bytes);
  }
}

TEST(MixedSizes, WhatDoesNotFitIsRefused) {
  for (const std::string spec : {"strings:100000", "numbers:100000"}) {
    EXPECT_THROW((void)make_graph(spec, {.memory_limit_bytes = 5'000'000}), InputError);
    EXPECT_NO_THROW((void)make_graph(spec, {.memory_limit_bytes = 60'000'000})) << spec;
  }
}

}  // namespace
}  // namespace jackdaw::tools
