// PlainLoop: it marks what our marking does, of typed objects and of those that are searched word by word.
#include "bench/mark/plain_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/conservative/conservative_heap.h"
#include "bench/heap/heap_graph.h"
#include "gc/runtime/collector.h"
#include "mark/statistics.h"
#include "tools/graph/graph_options.h"
#include "tools/graph/graph_spec.h"
#include "tools/graph/reachable_nodes.h"

namespace jackdaw::bench {
namespace {

class PlainLoopOf : public testing::TestWithParam<std::string> {};

TEST_P(PlainLoopOf, TypedObjectsMarksAsManyAsOurs) {
  gc::CollectorOptions options;
  options.automatic = false;
  gc::Collector collector(options);
  const HeapGraph heap_graph(tools::make_graph(GetParam(), {}), collector);
  const std::uint64_t ours = mark::total(collector.collect().workers).objects_marked;
  std::vector<std::uintptr_t> roots;
  for (const heap::Object* const root : heap_graph.roots())
    roots.push_back(reinterpret_cast<std::uintptr_t>(root));
  PlainLoop loop(collector.heap().map(), PlainLoop::Objects::typed, roots);
  for (int run = 0; run < 2; ++run) {
    EXPECT_GT(loop.run().count(), 0);
    EXPECT_EQ(loop.objects_marked(), ours);
  }
}

TEST_P(PlainLoopOf, ConservativeObjectsMarksTheReachableOnes) {
  for (const std::uint64_t object_bytes : {16U, 48U, 128U}) {
    tools::GraphOptions options;
    options.headers = false;
    options.object_bytes = object_bytes;
    const tools::Graph graph = tools::make_graph(GetParam(), options);
    ConservativeHeap heap(jackdaw_functions(), {}, graph);
    heap.collect();
    PlainLoop loop(ConservativeHeap::map(), PlainLoop::Objects::conservative, heap.roots());
    loop.run();
    EXPECT_EQ(loop.objects_marked(),
              static_cast<std::uint64_t>(std::ranges::count(tools::reachable_nodes(graph), true)));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PlainLoopOf,
                         testing::Values("tree:8", "list:500", "array:30000", "strings:300", "numbers:200",
                                         "random:900,2", "rmat:7,4", "comb:9,9", "layers:5,4"),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return info.param.substr(0, info.param.find(':'));
                         });

}  // namespace
}  // namespace jackdaw::bench
