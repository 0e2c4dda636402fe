// Mail on a machine with several memory nodes: more visits are to near memory, and the marks are the same.
// The figures are printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "bench/graph/graph.h"
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

struct Visits {
  std::uint64_t all = 0;
  std::uint64_t remote = 0;
  std::uint64_t posted = 0;

  [[nodiscard]] double remote_share() const { return static_cast<double>(remote) / static_cast<double>(all); }
};

// Marks the same graph, an equal share of which lies on each node, several times as the serial traversal
// does.
Visits count_visits(const std::string& spec, const std::string& termination, bool mail) {
  constexpr int kCollections = 5;
  gc::CollectorOptions options = gc::only_when_asked();
  options.marking.engine.threads = mark::Topology::machine().processor_count();
  options.marking.engine.alone_references = 0;
  options.marking.engine.count_remote_visits = true;
  options.marking.engine.termination = termination;
  options.marking.engine.mail = mail;
  gc::Collector collector(options);
  const bench::HeapGraph graph(bench::make_graph(spec), collector);
  const bench::SerialMark serial(graph.roots());
  Visits visits;
  std::chrono::nanoseconds time{0};
  for (int i = 0; i < kCollections; ++i) {
    const gc::CollectionResult result = collector.collect();
    gc::expect_same_marks(serial, collector, result);
    const mark::WorkerStatistics sum = mark::total(result.workers);
    EXPECT_EQ(sum.tasks_posted, sum.tasks_fetched);
    visits.all += sum.tasks_executed;
    visits.remote += sum.visits_remote;
    visits.posted += sum.tasks_posted;
    time += result.mark_time;
  }
  fmt::print(
      "{:<18} {:<8} mail {:<3} {:>8} visits, {:>8} remote, share {:.3f}; {:>8} tasks posted; {:.1f} ms\n",
      spec, termination, mail ? "on" : "off", visits.all, visits.remote, visits.remote_share(), visits.posted,
      std::chrono::duration<double, std::milli>(time).count());
  return visits;
}

class MailOfMarkThreads : public testing::TestWithParam<std::string> {};

TEST_P(MailOfMarkThreads, BringsTasksToTheNodesOfTheirObjects) {
  for (const std::string spec : {"random:300000,4", "shuffled:200000,4", "tree:16"}) {
    const Visits without = count_visits(spec, GetParam(), false);
    const Visits with = count_visits(spec, GetParam(), true);
    EXPECT_EQ(without.posted, 0U);
    EXPECT_EQ(with.all, without.all);
    // All the references of these lead to all nodes alike.
    if (!spec.starts_with("tree")) {
      EXPECT_GT(with.posted, 0U);
      EXPECT_LT(with.remote, without.remote);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Detectors, MailOfMarkThreads, testing::Values("owst", "ring"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace jackdaw::numa
