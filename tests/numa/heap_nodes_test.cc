// Where the heap's memory lies: on the nodes that were asked for, page by page, headers with mark bits and
// all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "gc/marking/memory_placement.h"
#include "gc/runtime/collector.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "machine/topology.h"
#include "machine/usable_processors.h"
#include "tests/gc/runtime/program.h"
#include "tests/gc/runtime/random_heap.h"
#include "tests/numa/page_nodes.h"
#include "tests/numa/system_nodes.h"

namespace jackdaw::numa {
namespace {

// All chunks' pages, by the kind of chunk and the node.
std::map<std::uint32_t, PageNodes> pages_of(heap::Heap& heap) {
  std::map<std::uint32_t, PageNodes> pages;
  heap.for_each_chunk([&](const heap::Chunk* chunk) {
    const PageNodes of_chunk = page_nodes(chunk, chunk->total_bytes());
    for (const auto& [node, count] : of_chunk.pages) pages[chunk->node()].pages[node] += count;
  });
  return pages;
}

void print(const std::string& placement, const std::map<std::uint32_t, PageNodes>& pages) {
  for (const auto& [kind, of_kind] : pages) {
    for (const auto& [node, count] : of_kind.pages)
      fmt::print("memory {:<10} chunks of kind {}: {:>6} pages on node {}\n", placement, kind, count, node);
  }
}

// Objects and a large one, written to, on a thread of each node.
void allocate_on_each_node(heap::Heap& heap) {
  const machine::Topology& machine = machine::Topology::machine();
  for (std::uint32_t node = 0; node < machine.node_count(); ++node) {
    std::thread([&] {
      constexpr std::size_t kBytes = 256;
      constexpr std::size_t kObjects = 10'000;
      ASSERT_TRUE(machine.bind_this_thread_to_node(node));
      heap::Allocator allocator(heap);
      const auto allocate = [&](std::size_t bytes) {
        heap::Object* const object = allocator.allocate_plain(bytes, heap::KindNumber::data);
        ASSERT_NE(object, nullptr);
        std::memset(reinterpret_cast<std::byte*>(object), 1, bytes);
      };
      for (std::size_t i = 0; i < kObjects; ++i) allocate(kBytes);
      allocate(kBytes * kObjects);
    }).join();
  }
}

std::map<std::uint32_t, PageNodes> pages_with(const std::string& placement) {
  heap::Heap heap(std::size_t{1} << 30, gc::memory_nodes(gc::parse_memory_placement(placement)));
  allocate_on_each_node(heap);
  std::map<std::uint32_t, PageNodes> pages = pages_of(heap);
  print(placement, pages);
  return pages;
}

TEST(HeapNodes, ChunksOfLocalMemoryLieOnTheirNode) {
  const std::vector<SystemNode> nodes = system_nodes();
  for (const char* const placement : {"local", "auto"}) {
    const auto pages = pages_with(placement);
    ASSERT_EQ(pages.size(), nodes.size()) << "a chunk for each node";
    for (const auto& [kind, of_kind] : pages) {
      EXPECT_EQ(of_kind.pages.size(), 1U);
      EXPECT_GT(of_kind.on(nodes[kind].number), 1000U) << "objects for five megabytes";
    }
  }
}

TEST(HeapNodes, OneNodeHasItAll) {
  for (std::uint32_t node = 0; node < system_nodes().size(); ++node) {
    const auto pages = pages_with("node:" + std::to_string(node));
    ASSERT_EQ(pages.size(), 1U);
    EXPECT_EQ(pages.at(0).pages.size(), 1U);
    EXPECT_GT(pages.at(0).on(system_nodes()[node].number), 1000U);
  }
}

TEST(HeapNodes, InterleavedPagesLieOnAllNodesEvenly) {
  const auto pages = pages_with("interleave");
  ASSERT_EQ(pages.size(), 1U);
  ASSERT_EQ(pages.at(0).pages.size(), system_nodes().size());
  std::size_t all = 0;
  for (const auto& [node, count] : pages.at(0).pages) all += count;
  // Huge pages take turns as a whole.
  for (const auto& [node, count] : pages.at(0).pages)
    EXPECT_GT(count, all / system_nodes().size() / 4) << node;
}

// For a process that may run on one node alone, as the script in the guest starts it.
TEST(ConfinedToANode, NothingLiesElsewhereAndMarkThreadsAreAsMany) {
  std::vector<SystemNode> own;
  for (const SystemNode& node : system_nodes()) {
    if (node.processors == processors_of_this_thread()) own.push_back(node);
  }
  if (own.empty()) GTEST_SKIP() << "not confined";
  EXPECT_EQ(machine::usable_processors(), own[0].processors.size());
  EXPECT_EQ(machine::Topology::machine().node_count(), 1U);
  gc::CollectorOptions options = gc::only_when_asked();
  options.marking.engine.threads = machine::usable_processors();
  gc::Collector collector(options);
  const gc::RandomHeap graph(collector, 100'000, 1);
  graph.expect_collected_correctly(collector.collect());
  const auto pages = pages_of(collector.heap());
  print("confined", pages);
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_EQ(pages.at(0).pages.size(), 1U);
  EXPECT_GT(pages.at(0).on(own[0].number), 1000U);
}

}  // namespace
}  // namespace jackdaw::numa
