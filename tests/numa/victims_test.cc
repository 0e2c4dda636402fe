// Victim policies on a machine with several memory nodes: where there is work to steal on every node, thieves
// that prefer their own node steal there. The figures are printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "bench/graph/graph_spec.h"
#include "bench/heap_graph.h"
#include "bench/serial_mark.h"
#include "gc/collector.h"
#include "mark/statistics.h"
#include "mark/topology.h"
#include "tests/gc/program.h"
#include "tests/gc/random_heap.h"

namespace jackdaw::numa {
namespace {

struct Steals {
  std::uint64_t objects_marked = 0;
  std::uint64_t all = 0;
  std::uint64_t remote = 0;

  [[nodiscard]] std::uint64_t local() const { return all - remote; }
  [[nodiscard]] double remote_share() const { return static_cast<double>(remote) / static_cast<double>(all); }
};

// A worker for each processor, and queues that hand small blocks to thieves as they fill: nearly all of the
// time, every worker has something to steal, and what is stolen does not last.
gc::CollectorOptions options_with(const std::string& victim) {
  gc::CollectorOptions options = gc::only_when_asked();
  options.marking.engine.threads = mark::Topology::machine().processor_count();
  options.marking.engine.alone_references = 0;
  options.marking.engine.blocks = 1024;
  options.marking.engine.block_size = 8;
  options.marking.engine.steal_batch = 8;
  options.marking.engine.victim = victim;
  return options;
}

// Marks the same graph a few times, each time as the serial traversal does.
Steals count_steals(const std::string& victim) {
  constexpr int kCollections = 6;
  gc::Collector collector(options_with(victim));
  const bench::HeapGraph graph(bench::make_graph("random:300000,4"), collector);
  const bench::SerialMark serial(graph.roots());
  Steals steals;
  for (int i = 0; i < kCollections; ++i) {
    const gc::CollectionResult result = collector.collect();
    gc::expect_same_marks(serial, collector, result);
    const mark::WorkerStatistics sum = mark::total(result.workers);
    steals.objects_marked += sum.objects_marked;
    steals.all += sum.steals;
    steals.remote += sum.steals_remote;
  }
  fmt::print("{:<10} {:>10} objects, {:>8} steals: {:>8} local, {:>8} remote, remote share {:.3f}\n", victim,
             steals.objects_marked, steals.all, steals.local(), steals.remote, steals.remote_share());
  return steals;
}

TEST(Victims, OfTheThiefsNodeAreStolenFromWhileTheyHaveWork) {
  const Steals random = count_steals("random");
  const Steals numa = count_steals("numa-prob");
  EXPECT_EQ(numa.objects_marked, random.objects_marked);
  EXPECT_GT(numa.local(), numa.remote);
  EXPECT_LT(numa.remote_share(), random.remote_share());
  // On fewer nodes than four, half of a random thief's victims are on its own already.
  if (mark::Topology::machine().node_count() >= 4) {
    EXPECT_LE(numa.remote_share(), random.remote_share() / 2);
  }
}

}  // namespace
}  // namespace jackdaw::numa
