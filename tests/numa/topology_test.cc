// Topology on a machine with several memory nodes that are really there: it agrees with the kernel.
#include "machine/topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/numa/system_nodes.h"

namespace jackdaw::numa {
namespace {

TEST(TopologyOfNodes, HasTheKernelsNodesAndProcessors) {
  const std::vector<SystemNode> nodes = system_nodes();
  ASSERT_GT(nodes.size(), 1U)
      << "this test needs several memory nodes: ./dev test-numa boots a guest that has them";
  std::size_t processors = 0;
  for (const SystemNode& node : nodes) processors += node.processors.size();
  EXPECT_TRUE(machine::Topology::may_have_several_nodes());
  const machine::Topology topology;
  EXPECT_EQ(topology.node_count(), nodes.size());
  EXPECT_EQ(topology.processor_count(), processors);
  EXPECT_TRUE(topology.has_nodes_to_bind_to());
  EXPECT_EQ(topology.resolved(machine::Binding::automatic), machine::Binding::node);
}

TEST(TopologyOfNodes, HasTheKernelsDistances) {
  const machine::Topology topology;
  const std::vector<SystemNode> nodes = system_nodes();
  for (std::uint32_t from = 0; from < nodes.size(); ++from) {
    ASSERT_EQ(nodes[from].distances.size(), nodes.size());
    for (std::uint32_t to = 0; to < nodes.size(); ++to)
      EXPECT_EQ(topology.distance(from, to), nodes[from].distances[to]) << from << " to " << to;
  }
}

TEST(TopologyOfNodes, AWorkerForEachProcessorIsAtHomeOnItsNode) {
  std::vector<std::uint32_t> expected;
  const std::vector<SystemNode> nodes = system_nodes();
  for (std::uint32_t node = 0; node < nodes.size(); ++node)
    expected.insert(expected.end(), nodes[node].processors.size(), node);
  EXPECT_EQ(machine::Topology().nodes_of_workers(static_cast<std::uint32_t>(expected.size())), expected);
}

TEST(TopologyOfNodes, ABoundThreadRunsOnItsNodeAlone) {
  const machine::Topology topology;
  const std::vector<SystemNode> nodes = system_nodes();
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    std::thread([&] {
      ASSERT_NE(processors_of_this_thread(), nodes[node].processors);
      ASSERT_TRUE(topology.bind_this_thread_to_node(node));
      EXPECT_EQ(processors_of_this_thread(), nodes[node].processors);
      unsigned processor_now = 0;
      unsigned node_now = 0;
      ASSERT_EQ(getcpu(&processor_now, &node_now), 0);
      EXPECT_EQ(node_now, nodes[node].number);
      EXPECT_TRUE(nodes[node].processors.contains(processor_now)) << "processor " << processor_now;
    }).join();
  }
}

}  // namespace
}  // namespace jackdaw::numa
