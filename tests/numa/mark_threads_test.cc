// The mark threads of a collector: each is tied to the processors of the node where its worker is at home.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gc/runtime/collector.h"
#include "machine/topology.h"
#include "tests/gc/runtime/program.h"
#include "tests/gc/runtime/random_heap.h"
#include "tests/numa/system_nodes.h"

namespace jackdaw::numa {
namespace {

// How many of the process's threads may run on exactly those processors.
std::map<std::set<std::uint32_t>, std::size_t> threads_by_processors() {
  static const std::string kLabel = "Cpus_allowed_list:\t";
  std::map<std::set<std::uint32_t>, std::size_t> threads;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(kLabel)) ++threads[parse_processors(line.substr(kLabel.size()))];
    }
  }
  return threads;
}

// The first worker is the thread that collects, which is the program's and stays as it is.
std::map<std::set<std::uint32_t>, std::size_t> expected_threads(std::uint32_t workers) {
  const std::vector<SystemNode> nodes = system_nodes();
  const std::vector<std::uint32_t> homes = machine::Topology().nodes_of_workers(workers);
  std::map<std::set<std::uint32_t>, std::size_t> threads{{processors_of_this_thread(), 1}};
  for (std::uint32_t worker = 1; worker < workers; ++worker) ++threads[nodes[homes[worker]].processors];
  return threads;
}

class MarkThreads : public testing::TestWithParam<std::uint32_t> {};

TEST_P(MarkThreads, AreTiedToTheNodesOfTheirWorkers) {
  gc::CollectorOptions options = gc::only_when_asked();
  options.marking.engine.threads = GetParam();
  options.marking.engine.tuning.serial_references = 0;  // all have a part, so all have started
  gc::Collector collector(options);
  const gc::RandomHeap graph(collector, 10'000, 1);
  graph.expect_collected_correctly(collector.collect());
  EXPECT_EQ(threads_by_processors(), expected_threads(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Counts, MarkThreads, testing::Values(2, 4, 7, 16, 40));

}  // namespace
}  // namespace jackdaw::numa
