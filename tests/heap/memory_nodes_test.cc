// Where chunks lie, and which thread allocates from which. Every machine has a node 0; so that threads are
// near different chunks on a machine with one node, each processor is said to be on a node of its own.
#include "heap/memory_nodes.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "base/page_memory.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "tests/confine_thread.h"
#include "tests/heap/marks.h"

namespace jackdaw::heap {
namespace {

constexpr std::size_t kBytes = 64;

TEST(MemoryNodes, WithoutAnyThereIsOneKindOfChunk) {
  const MemoryNodes nodes;
  EXPECT_EQ(nodes.count(), 1U);
  EXPECT_EQ(nodes.near_this_thread(), 0U);
  EXPECT_TRUE(nodes.place({}, 0)) << "nothing is asked of the system";
}

TEST(MemoryNodes, OnlyThreadsNearTheirMemoryHaveSeveralKinds) {
  const std::vector<std::uint32_t> numbers{0, 1, 2};
  EXPECT_EQ(MemoryNodes::interleaved(numbers).count(), 1U);
  EXPECT_EQ(MemoryNodes::only(0).count(), 1U);
  EXPECT_EQ(MemoryNodes::local(numbers, {}).count(), 3U);
  EXPECT_EQ(MemoryNodes::local(numbers, {}).near_this_thread(), 0U) << "of no known processor";
}

TEST(MemoryNodes, MoreNodesThanThereIsRoomForAreLeftOut) {
  const std::vector<std::uint32_t> many(MemoryNodes::kMostNodes + 5);
  EXPECT_EQ(MemoryNodes::local(many, {}).count(), MemoryNodes::kMostNodes);
  const std::vector<std::uint32_t> all_on_the_last(MemoryNodes::kMostProcessors, MemoryNodes::kMostNodes + 4);
  EXPECT_EQ(MemoryNodes::local(many, all_on_the_last).near_this_thread(), 0U);
}

TEST(MemoryNodes, TheSystemRefusesANodeThatIsNotThere) {
  const std::span<std::byte> memory = base::PageMemory::allocate(std::size_t{1} << 16);
  ASSERT_FALSE(memory.empty());
  EXPECT_FALSE(MemoryNodes::only(1000).place(memory, 0));
  EXPECT_FALSE(MemoryNodes::only(100'000).place(memory, 0)) << "beyond all masks";
  memory[0] = std::byte{1};  // it can be used all the same
  base::PageMemory::release(memory);
}

// Two processors that threads can be tied to, said to be on nodes 0 and 1, both of which are the system's 0.
class NearMemory : public testing::Test {
 protected:
  void SetUp() override {
    cpu_set_t usable;
    ASSERT_EQ(sched_getaffinity(0, sizeof(usable), &usable), 0);
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < CPU_SETSIZE && found.size() < 2; ++i) {
      if (CPU_ISSET(i, &usable)) found.push_back(i);
    }
    if (found.size() < 2) GTEST_SKIP() << "one processor";
    std::vector<std::uint32_t> node_of_processor(found[1] + 1, 0);
    node_of_processor[found[1]] = 1;
    processors_ = {found[0], found[1]};
    nodes_ = MemoryNodes::local(std::vector<std::uint32_t>{0, 0}, node_of_processor);
  }

  // Runs the function on a thread that is tied to the processor of a node.
  void run_on(std::uint32_t node, const std::function<void()>& function) const {
    std::thread([&] {
      confine_this_thread(static_cast<int>(processors_[node]));
      function();
    }).join();
  }
  // Allocates `count` objects, or fewer if there is no memory.
  static std::vector<Object*> allocate(Allocator& allocator, std::size_t count) {
    std::vector<Object*> objects;
    while (objects.size() < count) {
      Object* const object = allocator.allocate_plain(kBytes, KindNumber::data);
      if (object == nullptr) break;
      objects.push_back(object);
    }
    return objects;
  }
  static std::size_t count_on(std::uint32_t node, const std::vector<Object*>& objects) {
    std::size_t count = 0;
    for (const Object* const object : objects) count += Chunk::of(object)->node() == node ? 1 : 0;
    return count;
  }

  static constexpr std::size_t kSlotsInBlock = kBlockBytes / kBytes;
  static constexpr std::size_t kSlotsInChunk = kUsableBlocks * kSlotsInBlock;
  std::array<std::uint32_t, 2> processors_{};
  MemoryNodes nodes_;
};

TEST_F(NearMemory, ThreadsAllocateFromChunksOfTheirNode) {
  Heap heap(4 * kChunkBytes, nodes_);
  for (const std::uint32_t node : {0U, 1U, 0U}) {
    run_on(node, [&] {
      Allocator allocator(heap);
      const std::vector<Object*> objects = allocate(allocator, 10 * kSlotsInBlock);
      EXPECT_EQ(objects.size(), 10 * kSlotsInBlock);
      EXPECT_EQ(count_on(node, objects), objects.size());
      Object* const large = allocator.allocate_plain(5 * kBlockBytes, KindNumber::data);
      ASSERT_NE(large, nullptr);
      EXPECT_EQ(Chunk::of(large)->node(), node);
    });
  }
  EXPECT_EQ(heap.chunk_bytes(), 2 * kChunkBytes);
}

TEST_F(NearMemory, FarMemoryIsTakenBeforeNone) {
  Heap heap(std::size_t{1} << 30, nodes_);
  for (const std::uint32_t node : {0U, 1U}) {
    run_on(node, [&] {
      Allocator allocator(heap);
      EXPECT_NE(allocator.allocate_plain(kBytes, KindNumber::data), nullptr);
    });
  }
  heap.budget().set_growth_threshold(std::numeric_limits<std::uint64_t>::max());
  run_on(1, [&] {
    Allocator allocator(heap);
    const std::vector<Object*> objects = allocate(allocator, 3 * kSlotsInChunk);
    EXPECT_GE(count_on(1, objects), kSlotsInChunk - kSlotsInBlock) << "all but the other's block";
    EXPECT_GE(count_on(0, objects), kSlotsInChunk - kSlotsInBlock);
    EXPECT_EQ(allocator.allocate_plain(5 * kBlockBytes, KindNumber::data), nullptr);
  });
  EXPECT_EQ(heap.chunk_bytes(), 2 * kChunkBytes);
}

TEST_F(NearMemory, PartlyFreeBlocksGoToThreadsNearThem) {
  Heap heap(2 * kChunkBytes, nodes_);
  std::vector<Object*> kept;
  for (const std::uint32_t node : {0U, 1U}) {
    run_on(node, [&] {
      Allocator allocator(heap);
      const std::vector<Object*> objects = allocate(allocator, kSlotsInChunk);
      for (std::size_t i = 0; i < objects.size(); i += 2) kept.push_back(objects[i]);
    });
  }
  keep_only(heap, kept);
  run_on(1, [&] {
    Allocator allocator(heap);
    const std::size_t half = kSlotsInChunk / 2;
    EXPECT_EQ(count_on(1, allocate(allocator, half)), half);
    EXPECT_EQ(count_on(0, allocate(allocator, 2 * half)), half) << "what is left lies far away";
  });
}

// There is no other memory; a span far away would not be found again for the next object.
TEST_F(NearMemory, NoSpanIsMadeFarAway) {
  Heap heap(4 * kChunkBytes, nodes_);
  run_on(0, [&] { EXPECT_NE(heap.allocate_large(kBlockBytes, KindNumber::data), nullptr); });
  heap.budget().set_growth_threshold(std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t before = heap.usage().used;
  run_on(1, [&] {
    for (int i = 0; i < 40; ++i) EXPECT_NE(heap.allocate_large(5 * kQuarterBytes, KindNumber::data), nullptr);
  });
  EXPECT_EQ(heap.usage().used - before, 40 * 2 * kBlockBytes);
}

TEST_F(NearMemory, SpansAndTheirFreeSlotsGoToThreadsNearThemFirst) {
  Heap heap(4 * kChunkBytes, nodes_);
  const auto allocate_slot = [&] { return heap.allocate_large(5 * kQuarterBytes, KindNumber::data); };
  std::vector<Object*> far;
  run_on(0, [&] {
    for (int i = 0; i < 40; ++i) far.push_back(allocate_slot());
  });
  heap.free_large(far.back());
  run_on(1, [&] {
    for (int i = 0; i < 40; ++i) EXPECT_EQ(Chunk::of(allocate_slot())->node(), 1U);
    while (heap.allocate_large(kBlockBytes, KindNumber::data) != nullptr) continue;
    Object* last = nullptr;
    while (Object* const object = allocate_slot()) last = object;
    EXPECT_EQ(last, far.back()) << "what is left lies far away";
  });
}

// It is not known which threads will allocate from it.
TEST_F(NearMemory, AnExpandedHeapLiesOnAllNodes) {
  Heap heap(std::size_t{1} << 30, nodes_);
  ASSERT_TRUE(heap.expand_to(6 * kUsableBlocks * kBlockBytes));
  EXPECT_EQ(heap.chunk_bytes_by_node(), std::vector<std::uint64_t>(2, 3 * kChunkBytes));
}

TEST_F(NearMemory, AChunkThatGrowsOrComesAgainIsOfTheThreadsNode) {
  Heap heap(std::size_t{1} << 30, nodes_);
  run_on(1, [&] {
    Object* const object = heap.allocate_large(kChunkBytes, KindNumber::data);
    ASSERT_NE(object, nullptr);
    EXPECT_TRUE(heap.resize_large(object, 3 * kChunkBytes));
    EXPECT_EQ(Chunk::of(object)->node(), 1U);
    reinterpret_cast<std::byte*>(object)[3 * kChunkBytes - 1] = std::byte{1};
    heap.free_large(object);
  });
  run_on(0, [&] {
    Object* const object = heap.allocate_large(kChunkBytes, KindNumber::data);
    ASSERT_NE(object, nullptr);
    EXPECT_EQ(Chunk::of(object)->node(), 0U);
  });
}

}  // namespace
}  // namespace jackdaw::heap
