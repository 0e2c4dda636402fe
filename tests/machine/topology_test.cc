// Topology: real and synthetic machines, and the NUMA-aware victims on them.
#include "machine/topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <cstdlib>
#include <thread>
#include <tuple>
#include <vector>

#include "bench/victims/numa.h"
#include "tests/confine_thread.h"

namespace jackdaw::machine {
namespace {

// A machine that hwloc is told of, for the lifetime of the object.
class SyntheticMachine {
 public:
  explicit SyntheticMachine(const char* description) { setenv("HWLOC_SYNTHETIC", description, 1); }
  ~SyntheticMachine() { unsetenv("HWLOC_SYNTHETIC"); }
  SyntheticMachine(const SyntheticMachine&) = delete;
  SyntheticMachine& operator=(const SyntheticMachine&) = delete;
};

cpu_set_t affinity() {
  cpu_set_t allowed;
  EXPECT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  return allowed;
}

TEST(Topology, ThisMachineHasTheProcessorsThatWeMayUse) {
  const Topology topology;
  const cpu_set_t allowed = affinity();
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
    bench::NumaVictim policy({self, 16, self + 1, nodes});
    policy.start_search(16);
    for (int attempt = 0; attempt < 15; ++attempt) {
      const std::uint32_t victim = policy.choose(0)->worker;
      EXPECT_EQ(victim / 4 == self / 4, attempt < 3) << "thief " << self << ", attempt " << attempt;
    }
  }
}

TEST(Topology, TiesAThreadToItsCoreOrNodeOrNothing) {
  const Topology topology;
  for (std::uint32_t i = 0; i < topology.processor_count(); ++i) {
    const Processor& home = topology.processors()[i];
    for (const Binding binding : {Binding::none, Binding::node, Binding::core}) {
      std::thread([&] {
        ASSERT_TRUE(topology.bind_this_thread(i, binding));
        const cpu_set_t allowed = affinity();
        for (const Processor& other : topology.processors()) {
          const bool belongs = binding == Binding::none ||
                               (binding == Binding::node ? other.node == home.node : other.core == home.core);
          EXPECT_EQ(CPU_ISSET(other.system_number, &allowed) != 0, belongs);
        }
      }).join();
    }
  }
}

TEST(Topology, AThreadIsNotTiedToAMachineThatIsNotThere) {
  const SyntheticMachine machine("numa:2 core:2 pu:1");
  const Topology topology;
  EXPECT_EQ(topology.resolved(Binding::automatic), Binding::none);
  EXPECT_EQ(topology.resolved(Binding::core), Binding::core);
  EXPECT_TRUE(topology.bind_this_thread(0, Binding::automatic));
  EXPECT_FALSE(topology.bind_this_thread(0, Binding::node));
  EXPECT_FALSE(topology.bind_this_thread(3, Binding::core));
}

TEST(Topology, OnlyProcessorsThatTheThreadMayRunOnAreThere) {
  std::thread([] {
    const cpu_set_t before = affinity();
    const int processor = sched_getcpu();
    confine_this_thread(processor);
    const Topology topology;
    ASSERT_EQ(topology.processor_count(), 1U) << "of " << CPU_COUNT(&before);
    EXPECT_EQ(topology.processors()[0].system_number, static_cast<std::uint32_t>(processor));
    EXPECT_EQ(topology.node_count(), 1U);
    EXPECT_EQ(topology.core_count(), 1U);
  }).join();
}

TEST(Topology, CoresRunSeveralProcessors) {
  const SyntheticMachine machine("numa:2 core:3 pu:2");
  const Topology topology;
  EXPECT_EQ(topology.core_count(), 6U);
  ASSERT_EQ(topology.processor_count(), 12U);
  for (std::uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ(topology.processors()[i].core, i / 2);
    EXPECT_EQ(topology.processors()[i].node, i / 6);
  }
  // Cores first: no two workers on one while another has none.
  EXPECT_EQ(topology.homes_of_workers(6), (std::vector<std::uint32_t>{0, 2, 4, 6, 8, 10}));
}

TEST(Topology, DistancesAreNearOrFarUnlessTheSystemKnows) {
  const SyntheticMachine machine("numa:3 pu:1");
  const Topology topology;
  for (std::uint32_t from = 0; from < 3; ++from) {
    for (std::uint32_t to = 0; to < 3; ++to) {
      EXPECT_EQ(topology.distance(from, to),
                from == to ? base::NodeDistance::kNear : base::NodeDistance::kFar);
    }
  }
}

TEST(Topology, NodesHaveMemoryAndProcessorsShareCaches) {
  const SyntheticMachine machine(
      "numa:2(memory=1073741824) l3:1(size=8388608) l2:2(size=1048576) core:1 pu:2");
  const Topology topology;
  ASSERT_EQ(topology.node_count(), 2U);
  EXPECT_EQ(topology.nodes()[1].bytes, 1073741824U);
  EXPECT_EQ(topology.nodes()[1].system_number, 1U);
  ASSERT_EQ(topology.caches().size(), 2U);
  const CacheKind& second = topology.caches()[0];
  EXPECT_EQ(std::make_tuple(second.level, second.bytes, second.count, second.processors),
            std::make_tuple(2U, std::uint64_t{1048576}, 4U, 2U));
  const CacheKind& third = topology.caches()[1];
  EXPECT_EQ(std::make_tuple(third.level, third.bytes, third.count, third.processors),
            std::make_tuple(3U, std::uint64_t{8388608}, 2U, 4U));
}

}  // namespace
}  // namespace jackdaw::machine
