// Out of memory: allocation gives null, everything live stays as it is, and allocation works again as soon as
// there is garbage.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "heap/chunk.h"
#include "tests/gc/runtime/program.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using heap::TypeDescriptor;

// Several chunks, and room for the arrays below.
constexpr std::size_t kLimit = std::max(2 * heap::kChunkBytes, std::size_t{16} << 20);

CollectorOptions limited() {
  CollectorOptions options;
  options.heap_limit_bytes = kLimit;
  options.minimum_budget_bytes = 4 << 20;
  options.marking.engine.threads = 2;
  return options;
}

// Prepends until there is no memory. Returns the list's length.
std::uint64_t fill(Mutator& mutator, Handle& list) {
  std::uint64_t length = 0;
  while (prepend(mutator, list, length)) ++length;
  return length;
}

TEST(OutOfMemory, GivesNullAndGoesOnWhenThereIsGarbage) {
  Collector collector(limited());
  Mutator mutator(collector);
  Handle list(mutator);
  for (int round = 0; round < (mark::kSanitized ? 1 : 3); ++round) {
    const std::uint64_t length = fill(mutator, list);
    EXPECT_GT(length * Record::kBytes, kLimit * 9 / 10) << "nearly all memory was used";
    EXPECT_LE(collector.heap().bytes(), kLimit);
    EXPECT_EQ(mutator.allocate(Record::type()), nullptr) << "null again";
    EXPECT_TRUE(is_list_of(list.get(), 0, length));
    // The newer half goes, and its size can be allocated again.
    for (std::uint64_t i = 0; i < length / 2; ++i) list = Record::next(list.get());
    Handle second(mutator);
    const std::uint64_t second_length = fill(mutator, second);
    EXPECT_GE(second_length, length / 2 - length / 100);
    EXPECT_TRUE(is_list_of(second.get(), 0, second_length));
    EXPECT_TRUE(is_list_of(list.get(), 0, length - length / 2));
    list = nullptr;
  }
  EXPECT_NE(mutator.allocate(Record::type()), nullptr);
}

TEST(OutOfMemory, OfLargeObjects) {
  Collector collector(limited());
  Mutator mutator(collector);
  const TypeDescriptor type = TypeDescriptor::reference_array();
  Handle kept(mutator);
  std::uint64_t count = 0;
  // A chain of arrays of 100 kB through their first elements.
  while (Object* const array = mutator.allocate_array(type, 12'800)) {
    *array->element(0) = kept.get();
    kept = array;
    ASSERT_LT(++count, 1000U);
  }
  EXPECT_GT(count * 100'000, kLimit * 8 / 10);
  EXPECT_EQ(mutator.allocate_array(type, 12'800), nullptr);
  EXPECT_EQ(mutator.allocate_array(type, 12'800'000), nullptr) << "larger than the limit";
  kept = *kept->element(0);
  EXPECT_NE(mutator.allocate_array(type, 12'800), nullptr) << "the one that went makes room";
  kept = nullptr;
  EXPECT_NE(mutator.allocate_array(type, 1'000'000), nullptr);
}

TEST(OutOfMemory, AnImpossibleLengthChangesNothing) {
  Collector collector(limited());
  Mutator mutator(collector);
  const TypeDescriptor type = TypeDescriptor::reference_array();
  const Handle kept(mutator, mutator.allocate(Record::type()));
  for (const std::uint64_t length :
       {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 61, (std::uint64_t{1} << 61) - 2,
        (std::uint64_t{1} << 61) - 3, std::uint64_t{1} << 50}) {
    EXPECT_EQ(mutator.allocate_array(type, length), nullptr) << length;
    EXPECT_NE(mutator.allocate_array(type, 100), nullptr);
  }
  EXPECT_EQ(mutator.collect().live_objects, 1U);
}

// Garbage fills the memory; the object needs more than a chunk. Memory that a collection freed in pieces must
// count for it.
TEST(OutOfMemory, AnOversizedObjectTakesWhatACollectionFreed) {
  Collector collector(limited());
  Mutator mutator(collector);
  {
    Handle list(mutator);
    fill(mutator, list);
  }
  const TypeDescriptor data = TypeDescriptor::none(0);
  EXPECT_NE(mutator.allocate(data, kLimit - heap::kChunkBytes), nullptr);
}

// The threads fill memory together; each sees null, drops what it has and goes on.
TEST(OutOfMemory, OfSeveralThreads) {
  CollectorOptions options = limited();
  options.heap_limit_bytes = heap::kChunkBytes;
  Collector collector(options);
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      Mutator mutator(collector);
      Handle list(mutator);
      for (int round = 0; round < (mark::kSanitized ? 1 : 3); ++round) {
        list = nullptr;
        const std::uint64_t length = fill(mutator, list);
        EXPECT_TRUE(is_list_of(list.get(), 0, length));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(collector.heap().bytes(), heap::kChunkBytes);
  Mutator mutator(collector);
  EXPECT_NE(mutator.allocate(Record::type()), nullptr);
  EXPECT_EQ(mutator.collect().live_objects, 0U);
}

// Memory is plenty, but every allocation passes the budget, and the threads spend what the others were
// granted. None may be told that there is no memory.
TEST(OutOfMemory, IsNotSaidWhileThereIsMemory) {
  CollectorOptions options;
  options.minimum_budget_bytes = 64 << 10;
  Collector collector(options);
  constexpr int kThreads = 4;
  const TypeDescriptor data = TypeDescriptor::none(0);
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Mutator mutator(collector);
      for (std::size_t i = 0; i < 300; ++i) {
        const std::size_t bytes = thread % 2 == 0 ? 1'000'000 + i * 1000 : 20'000;
        if (mutator.allocate(data, bytes) == nullptr) refused.fetch_add(1);
        if (mutator.allocate(data, 2000) == nullptr) refused.fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused.load(), 0);
}

}  // namespace
}  // namespace jackdaw::gc
