// Graphs in a collector's heap by its C interface: what is allocated, what is in it, and that the census
// tells a collection that loses objects from one that does not.
#include "bench/conservative/conservative_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tools/graph/graph_spec.h"
#include "tools/graph/reachable_nodes.h"

namespace jackdaw::bench {
namespace {

using FunctionsOf = CollectorFunctions (*)();

CollectorFunctions system_libgc_functions() { return libgc_functions(); }

// A request to a collector whose table is `recording()`.
struct Asked {
  std::size_t bytes;
  bool is_atomic;
  std::uint64_t* object;
};
std::vector<Asked> asked;

CollectorFunctions recording() {
  CollectorFunctions functions = jackdaw_functions();
  functions.malloc = [](std::size_t bytes) {
    void* const object = GC_malloc(bytes);
    asked.push_back({bytes, false, static_cast<std::uint64_t*>(object)});
    return object;
  };
  functions.malloc_atomic = [](std::size_t bytes) {
    void* const object = GC_malloc_atomic(bytes);
    asked.push_back({bytes, true, static_cast<std::uint64_t*>(object)});
    return object;
  };
  asked.clear();
  return functions;
}

TEST(ConservativeHeap, AllocatesEveryNodeInTheGraphsOrder) {
  for (const std::string spec : {"shuffled:200,3", "strings:100", "numbers:100", "rmat:6,4"}) {
    const CollectorFunctions functions = recording();
    const tools::Graph graph = tools::make_graph(spec, {.headers = false});
    const ConservativeHeap heap(functions, {}, graph);
    ASSERT_EQ(asked.size(), graph.node_count) << spec;
    for (std::uint64_t position = 0; position < graph.node_count; ++position) {
      const tools::NodeId node = graph.allocated_at(position);
      EXPECT_EQ(asked[position].bytes, graph.bytes_of(node)) << spec;
      EXPECT_EQ(asked[position].is_atomic, graph.type_of(node).layout == tools::NodeType::Layout::data)
          << spec;
    }
  }
}

TEST(ConservativeHeap, OfAnOrderedTreeLiesInThatOrder) {
  const CollectorFunctions functions = recording();
  const ConservativeHeap heap(functions, {}, tools::make_graph("ordered:50000,4", {.headers = false}));
  const auto descents = static_cast<std::size_t>(
      std::ranges::count_if(asked, [last = static_cast<std::uint64_t*>(nullptr)](const Asked& next) mutable {
        return next.object < std::exchange(last, next.object);
      }));
  EXPECT_LT(descents, asked.size() / 100);
}

// The addresses that the references of a graph's nodes must hold, as offsets from their targets.
void expect_references(const tools::Graph& graph, unsigned displacements) {
  for (tools::NodeId node = 0; node < graph.node_count; ++node) {
    const std::size_t first = graph.first_slot_word(graph.type_of(node).layout);
    const auto slots = graph.slots_of(node);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::uint64_t word = asked[node].object[first + i];
      const std::uint64_t expected =
          slots[i] == tools::kNullNode
              ? 0
              : reinterpret_cast<std::uint64_t>(asked[slots[i]].object) + slots[i] % (displacements + 1);
      EXPECT_EQ(word, expected) << graph.name << ", node " << node << ", slot " << i;
    }
  }
}

TEST(ConservativeHeap, HoldsTheGraphsReferences) {
  for (const bool headers : {false, true}) {
    for (const std::string spec : {"tree:5", "array:20", "strings:20", "numbers:40"}) {
      const CollectorFunctions functions = recording();
      const tools::Graph graph = tools::make_graph(spec, {.headers = headers});
      const ConservativeHeap heap(functions, {}, graph);
      expect_references(graph, 0);
    }
  }
}

TEST(ConservativeHeap, WithHeadersHoldsTypesAndLengths) {
  const CollectorFunctions functions = recording();
  const ConservativeHeap heap(functions, {}, tools::make_graph("strings:20"));
  EXPECT_EQ(asked[0].object[0], 0U);
  EXPECT_EQ(asked[0].object[1], 20U);
  EXPECT_EQ(asked[1].object[0], 1U);
  EXPECT_EQ(asked[2].object[0], 2U);
}

class EitherCollector : public testing::TestWithParam<FunctionsOf> {};

TEST_P(EitherCollector, KeepsWhatTheRootsReachAndLittleElse) {
  const tools::Graph graph = tools::make_graph("random:20000,1", {.headers = false});
  const std::vector<bool> is_reachable = tools::reachable_nodes(graph);
  const auto reachable = static_cast<std::uint64_t>(std::ranges::count(is_reachable, true));
  ConservativeHeap heap(GetParam()(), {}, graph, &is_reachable);
  for (int run = 0; run < 3; ++run) {
    EXPECT_GT(heap.collect().count(), 0);
    const ConservativeHeap::Census census = heap.census();
    EXPECT_EQ(census.reachable, reachable);
    EXPECT_EQ(census.missing, 0U);
    EXPECT_LT(census.unreachable, graph.node_count / 2);
  }
}

TEST_P(EitherCollector, LosesWhatHangsFromNoRootAndTheCensusSaysSo) {
  CollectorFunctions functions = GetParam()();
  functions.add_roots = [](void*, void*) {};
  const tools::Graph graph = tools::make_graph("layers:1,1000", {.headers = false});
  const std::vector<bool> is_reachable = tools::reachable_nodes(graph);
  ConservativeHeap heap(functions, {}, graph, &is_reachable);
  heap.collect();
  EXPECT_GT(heap.census().missing, 900U) << "the stack holds a few of them at most";
}

// Settings that are made when a collector is started: each of these tests runs in a process of its own.
class EitherCollectorStarted : public EitherCollector {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  template <typename Check>
  static void in_a_new_process(Check check) {
    const auto run = [&] {
      check();
      std::_Exit(HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  }
};

ConservativeHeap::Census census_with(const CollectorFunctions& functions, unsigned displacements) {
  const tools::Graph graph = tools::make_graph("layers:1,1000", {.headers = false});
  const std::vector<bool> is_reachable = tools::reachable_nodes(graph);
  ConservativeHeap heap(functions, {.displacements = displacements}, graph, &is_reachable);
  heap.collect();
  return heap.census();
}

TEST_P(EitherCollectorStarted, KeepsWhatIsReachedByRegisteredDisplacements) {
  in_a_new_process([] {
    const CollectorFunctions functions = GetParam()();
    EXPECT_EQ(census_with(functions, kMostDisplacements).missing, 0U);
  });
}

TEST_P(EitherCollectorStarted, LosesWhatIsReachedByDisplacementsThatAreNotRegistered) {
  in_a_new_process([] {
    CollectorFunctions functions = GetParam()();
    functions.register_displacement = [](std::size_t) {};
    const ConservativeHeap::Census census = census_with(functions, 3);
    EXPECT_GT(census.missing, 700U) << "of 750";
    EXPECT_LE(census.missing, 750U) << "those that are reached by their start are kept";
  });
}

TEST_P(EitherCollectorStarted, HasTheMarkersThatWereAskedFor) {
  for (const unsigned markers : {1U, 3U}) {
    in_a_new_process([markers] {
      ConservativeHeap heap(GetParam()(), {.markers = markers}, tools::make_graph("tree:3"));
      heap.collect();
      EXPECT_EQ(heap.threads(), markers);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Collectors, EitherCollector,
                         testing::Values(jackdaw_functions, system_libgc_functions));
INSTANTIATE_TEST_SUITE_P(Collectors, EitherCollectorStarted,
                         testing::Values(jackdaw_functions, system_libgc_functions));

}  // namespace
}  // namespace jackdaw::bench
