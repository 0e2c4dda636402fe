// Topology: real and synthetic machines, and the NUMA-aware victims on them.
#include "mark/topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "mark/victim/numa.h"

namespace jackdaw::mark {
namespace {

// A machine that hwloc is told of, for the lifetime of the object.
class SyntheticMachine {
 public:
  explicit SyntheticMachine(const char* description) { setenv("HWLOC_SYNTHETIC", description, 1); }
  ~SyntheticMachine() { unsetenv("HWLOC_SYNTHETIC"); }
  SyntheticMachine(const SyntheticMachine&) = delete;
  SyntheticMachine& operator=(const SyntheticMachine&) = delete;
};

TEST(Topology, ThisMachineHasTheProcessorsThatWeMayUse) {
  const Topology topology;
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  EXPECT_EQ(topology.processor_count(), static_cast<std::uint32_t>(CPU_COUNT(&allowed)));
  EXPECT_GE(topology.node_count(), 1U);
  EXPECT_LE(topology.node_count(), topology.processor_count());
}

TEST(Topology, ALookIsSparedOnlyWhereItWouldFindOneNode) {
  EXPECT_TRUE(Topology::may_have_several_nodes() || Topology().node_count() == 1);
}

TEST(Topology, FourNodesOfFourCores) {
  const SyntheticMachine machine("numa:4 core:4 pu:1");
  EXPECT_TRUE(Topology::may_have_several_nodes());
  const Topology topology;
  EXPECT_EQ(topology.node_count(), 4U);
  EXPECT_EQ(topology.processor_count(), 16U);
  EXPECT_FALSE(topology.has_nodes_to_bind_to()) << "it is not there";
  const std::vector<std::uint32_t> nodes = topology.nodes_of_workers(16);
  for (std::uint32_t worker = 0; worker < 16; ++worker) EXPECT_EQ(nodes[worker], worker / 4);
}

TEST(Topology, SpreadsFewWorkersAndManyOverAllNodes) {
  const SyntheticMachine machine("numa:4 core:4 pu:1");
  const Topology topology;
  EXPECT_EQ(topology.nodes_of_workers(1), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(topology.nodes_of_workers(4), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(topology.nodes_of_workers(8), (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  const std::vector<std::uint32_t> many = topology.nodes_of_workers(64);
  for (std::uint32_t worker = 0; worker < 64; ++worker) EXPECT_EQ(many[worker], worker / 16);
}

TEST(Topology, OneNodeIsAllThereIsOnMostMachines) {
  const SyntheticMachine machine("pack:1 core:8 pu:2");
  const Topology topology;
  EXPECT_EQ(topology.node_count(), 1U);
  EXPECT_EQ(topology.processor_count(), 16U);
  EXPECT_EQ(topology.nodes_of_workers(3), (std::vector<std::uint32_t>{0, 0, 0}));
}

// The order of attempts on a machine that hwloc describes, not on a list of nodes made by the test.
TEST(Topology, NumaVictimsTryEveryLocalWorkerBeforeARemoteOne) {
  const SyntheticMachine machine("numa:4 core:4 pu:1");
  const Topology topology;
  const std::vector<std::uint32_t> nodes = topology.nodes_of_workers(16);
  for (std::uint32_t self = 0; self < 16; ++self) {
    NumaVictim policy({self, 16, self + 1, nodes});
    policy.start_search();
    for (int attempt = 0; attempt < 15; ++attempt) {
      const std::uint32_t victim = policy.choose(0)->worker;
      EXPECT_EQ(victim / 4 == self / 4, attempt < 3) << "thief " << self << ", attempt " << attempt;
    }
  }
}

TEST(Topology, TiesAThreadToTheNodesProcessors) {
  const Topology topology;
  std::thread([&] {
    ASSERT_TRUE(topology.bind_this_thread(0));
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    EXPECT_GE(CPU_COUNT(&allowed), 1);
    EXPECT_LE(static_cast<std::uint32_t>(CPU_COUNT(&allowed)), topology.processor_count());
  }).join();
}

}  // namespace
}  // namespace jackdaw::mark
