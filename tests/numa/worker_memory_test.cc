// Where the engine's own memory lies: what a worker uses, on the node of its thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "machine/topology.h"
#include "mark/marker.h"
#include "mark/object_model.h"
#include "mark/page_array.h"
#include "mark/queue/bwos_lifo.h"
#include "tests/numa/page_nodes.h"
#include "tests/numa/system_nodes.h"

namespace jackdaw::numa {
namespace {

// A chain of objects, so that a round has something to do.
class Chain {
 public:
  using Reference = std::uint32_t;
  using Task = std::uint32_t;

  mark::MarkOutcome<Task> mark(Reference object, mark::Sharing) { return object; }
  [[nodiscard]] bool is_marked(Reference) const { return false; }
  void prefetch_mark(Reference) const {}
  void prefetch(Task) const {}
  template <typename Sink>
  void visit(Task object, Sink& sink) const {
    if (object != 0) sink.reference(object - 1);
  }
};

// A queue with one array more, made and first written to where its own are, which can be found.
class NotedQueue : public mark::BwosLifo<Chain::Task> {
 public:
  NotedQueue(std::size_t blocks, std::size_t block_size)
      : BwosLifo(blocks, block_size), array(mark::make_page_array<std::uint64_t>(kEntries)) {
    std::fill_n(array.get(), kEntries, 0);
    const std::lock_guard lock(mutex);
    of_thread[std::this_thread::get_id()] = this;
  }

  static constexpr std::size_t kEntries = 8192;
  const mark::PageArray<std::uint64_t> array;

  static inline std::mutex mutex;
  static inline std::map<std::thread::id, const NotedQueue*> of_thread;
};

// Leaves memory of threads that ran on every node to malloc.
void use_malloc_on_every_node(const machine::Topology& machine) {
  constexpr std::size_t kBytes = 100'000;
  for (std::uint32_t node = 0; node < machine.node_count(); ++node) {
    std::thread([&] {
      ASSERT_TRUE(machine.bind_this_thread_to_node(node));
      const std::vector<std::byte> used(kBytes);
    }).join();
  }
}

// But for the first worker's, which is whatever thread the program has.
TEST(WorkerMemory, LiesOnTheNodeOfTheWorker) {
  const machine::Topology& machine = machine::Topology::machine();
  const std::vector<SystemNode> nodes = system_nodes();
  use_malloc_on_every_node(machine);
  mark::MarkerOptions options;
  options.threads = machine.processor_count();
  options.nodes = machine.nodes_of_workers(options.threads);
  std::mutex mutex;
  std::map<std::thread::id, std::uint32_t> worker_of_thread;
  options.on_helper_start = [&](std::uint32_t worker) {
    EXPECT_TRUE(machine.bind_this_thread_to_node(options.nodes[worker]));
    const std::lock_guard lock(mutex);
    worker_of_thread[std::this_thread::get_id()] = worker;
  };
  mark::Marker<Chain, NotedQueue> marker(options);
  Chain chain;
  EXPECT_TRUE(marker.mark(chain, std::vector<Chain::Reference>{10}));
  ASSERT_EQ(worker_of_thread.size(), options.threads - 1);
  for (const auto& [thread, worker] : worker_of_thread) {
    ASSERT_EQ(NotedQueue::of_thread.count(thread), 1U) << "a worker is made by its own thread";
    const NotedQueue* const queue = NotedQueue::of_thread[thread];
    const PageNodes pages = page_nodes(queue->array.get(), NotedQueue::kEntries * sizeof(std::uint64_t));
    EXPECT_EQ(pages.on(nodes[options.nodes[worker]].number), 16U) << "worker " << worker;
  }
}

}  // namespace
}  // namespace jackdaw::numa
