// Where the engine's own memory lies: what a worker uses, on the node of its thread.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "machine/topology.h"
#include "mark/marker.h"
#include "mark/object_model.h"
#include "mark/queue/bwos_lifo.h"
#include "tests/numa/page_nodes.h"
#include "tests/numa/system_nodes.h"

namespace {

// The mappings that the thread makes meanwhile. Null: they are not noted.
constinit thread_local std::vector<std::span<std::byte>>* noted_mappings = nullptr;

}  // namespace

// The C library's own calls do not come here.
extern "C" void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void* const memory =
      reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
  if (auto* const noted = std::exchange(noted_mappings, nullptr); noted != nullptr) {
    noted->emplace_back(static_cast<std::byte*>(memory), bytes);
    noted_mappings = noted;
  }
  return memory;
}

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

// Notes what is mapped from when it is made on.
struct NotedMappings {
  NotedMappings() { noted_mappings = &arrays; }
  std::vector<std::span<std::byte>> arrays;
};

// A queue that knows where its arrays are, and has written to all of them.
class NotedQueue : private NotedMappings, public mark::BwosLifo<Chain::Task> {
 public:
  NotedQueue(std::size_t blocks, std::size_t block_size) : BwosLifo(blocks, block_size) {
    noted_mappings = nullptr;
    while (push(0)) continue;
    for (Chain::Task task{}; pop(task);) continue;
    const std::lock_guard lock(mutex);
    of_thread[std::this_thread::get_id()] = this;
  }

  using NotedMappings::arrays;

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
  options.tuning.blocks = 8;
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
    EXPECT_EQ(queue->arrays.size(), 2U) << "its blocks and its entries";
    for (const std::span<const std::byte> array : queue->arrays) {
      const PageNodes pages = page_nodes(array.data(), array.size());
      EXPECT_EQ(pages.absent, 0U);
      EXPECT_EQ(pages.pages.size(), 1U);
      EXPECT_GT(pages.on(nodes[options.nodes[worker]].number), 0U) << "worker " << worker;
    }
  }
}

}  // namespace
}  // namespace jackdaw::numa
