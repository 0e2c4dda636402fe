// Queues ask malloc for nothing while tasks come and go: a stopped thread may hold its lock. This is a
// program of its own, because it replaces operator new.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/bench/queues/queue_kinds.h"

namespace {

std::size_t calls = 0;

}  // namespace

// This is not inlined, or the compiler takes malloc's memory for operator new's.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++calls;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace jackdaw::bench {
namespace {

template <typename Kind>
class QueueMemory : public testing::Test {};
TYPED_TEST_SUITE(QueueMemory, AllKinds, KindName);

TYPED_TEST(QueueMemory, DoesNotComeFromMallocAfterTheStart) {
  typename TypeParam::Queue queue(8, 64);
  const std::size_t calls_before = calls;
  std::uint64_t task = 0;
  for (int round = 0; round < 3; ++round) {
    // Twice as many as there is room for.
    for (std::uint64_t i = 0; i < 1024; ++i) static_cast<void>(queue.push(i));
    for (int i = 0; i < 100; ++i) static_cast<void>(queue.steal(task));
    while (queue.pop(task)) continue;
  }
  EXPECT_EQ(calls, calls_before);
}

}  // namespace
}  // namespace jackdaw::bench
