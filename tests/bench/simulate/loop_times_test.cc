// LoopTimes: each loop marks the whole heap.
#include "bench/simulate/loop_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "bench/heap/heap_graph.h"
#include "bench/heap/marking_swap.h"
#include "gc/runtime/collector.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::bench {
namespace {

gc::CollectorOptions without_own_collections() {
  gc::CollectorOptions options;
  options.automatic = false;
  return options;
}

TEST(LoopTimes, EveryLoopMarksEverything) {
  gc::Collector collector(without_own_collections());
  const HeapGraph graph(tools::make_graph("random:20000,4", {}), collector);
  const std::uint64_t live_objects = collector.collect().live_objects;
  MarkingSwap lent(collector);
  LoopTimes loops;
  loops.run(lent, false);
  EXPECT_TRUE(std::isinf(loops.least_ns(MarkLoop::biased))) << "nothing has counted yet";
  for (int round = 0; round < 3; ++round) loops.run(lent, true);
  for (const MarkLoop loop : {MarkLoop::biased, MarkLoop::shared, MarkLoop::far}) {
    EXPECT_GT(loops.least_ns(loop), 0);
    EXPECT_TRUE(std::isfinite(loops.least_ns(loop)));
  }
  EXPECT_GE(loops.mean_sample_ns(), 0);
  // An object that a loop had not marked would have been swept.
  EXPECT_EQ(collector.collect().live_objects, live_objects);
}

}  // namespace
}  // namespace jackdaw::bench
