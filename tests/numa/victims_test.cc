// Victim policies on a machine with several memory nodes: where there is work to steal on every node, thieves
// that prefer their own node steal there. The figures are printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/engines/engines.h"
#include "bench/heap/heap_graph.h"
#include "bench/heap/serial_mark.h"
#include "gc/runtime/collector.h"
#include "machine/topology.h"
#include "mark/statistics.h"
#include "tests/gc/runtime/program.h"
#include "tests/gc/runtime/random_heap.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_spec.h"

namespace jackdaw::numa {
namespace {

struct Steals {
  std::uint64_t objects_marked = 0;
  std::uint64_t all = 0;
  std::uint64_t remote = 0;
  decltype(mark::WorkerStatistics::steals_by_distance) by_distance{};

  [[nodiscard]] std::uint64_t local() const { return all - remote; }
  [[nodiscard]] double remote_share() const { return static_cast<double>(remote) / static_cast<double>(all); }
};

// Several workers for each processor: while some are kept from running, their queues are there to steal from.
// The queues hand small blocks to thieves as they fill: most of the time, every worker has something to
// steal, and what is stolen does not last.
gc::CollectorOptions options_with(const std::string& victim) {
  gc::CollectorOptions options = gc::only_when_asked();
  options.marking.engine.threads = 4 * machine::Topology::machine().processor_count();
  options.marking.engine.tuning.serial_references = 0;
  options.marking.engine.tuning.blocks = 1024;
  options.marking.engine.tuning.block_size = 8;
  options.marking.engine.tuning.steal_batch = 8;
  options.marking.make = bench::maker_of({.queue = {}, .victim = victim});
  return options;
}

// Roots all over it, so that many workers begin with some: what one alone began with, all others would steal
// from it.
tools::Graph graph_with_many_roots() {
  constexpr tools::NodeId kNodesPerRoot = 16;
  tools::Graph graph = tools::make_graph("random:300000,4");
  graph.roots.clear();
  for (tools::NodeId node = 0; node < graph.node_count; node += kNodesPerRoot) graph.roots.push_back(node);
  return graph;
}

// Marks the same graph several times, each time as the serial traversal does.
Steals count_steals(const std::string& victim) {
  constexpr int kCollections = 10;
  gc::Collector collector(options_with(victim));
  const bench::HeapGraph graph(graph_with_many_roots(), collector);
  const bench::SerialMark serial(graph.roots());
  Steals steals;
  for (int i = 0; i < kCollections; ++i) {
    const gc::CollectionResult result = collector.collect();
    gc::expect_same_marks(serial, collector, result);
    const mark::WorkerStatistics sum = mark::total(result.workers);
    steals.objects_marked += sum.objects_marked;
    steals.all += sum.steals;
    steals.remote += sum.steals_remote();
    for (std::size_t rank = 0; rank < steals.by_distance.size(); ++rank)
      steals.by_distance[rank] += sum.steals_by_distance[rank];
  }
  fmt::print(
      "{:<10} {:>10} objects, {:>8} steals: {:>8} local, {:>8} remote, remote share {:.3f}; by distance {}\n",
      victim, steals.objects_marked, steals.all, steals.local(), steals.remote, steals.remote_share(),
      fmt::join(steals.by_distance, " "));
  return steals;
}

TEST(Victims, OfTheThiefsNodeAreStolenFromWhileTheyHaveWork) {
  const Steals random = count_steals("random");
  const Steals numa = count_steals("numa-prob");
  EXPECT_EQ(numa.objects_marked, random.objects_marked);
  EXPECT_GT(numa.local(), numa.remote);
  EXPECT_LT(numa.remote_share(), random.remote_share());
  // On fewer nodes than four, half of a random thief's victims are on its own already.
  if (machine::Topology::machine().node_count() >= 4) {
    EXPECT_LE(numa.remote_share(), random.remote_share() / 2);
  }
}

}  // namespace
}  // namespace jackdaw::numa
