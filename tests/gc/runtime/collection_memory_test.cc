// A collection that cannot get the little memory that it needs itself: it must change nothing. An executable
// of its own, because it replaces operator new.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <new>

#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "tests/gc/runtime/program.h"

namespace {

// How many allocations succeed from now on; negative: all.
int allocations_left = -1;

}  // namespace

// This is not inlined, or compilers see a free() of what they take for the standard operator's memory.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = allocations_left == 0 ? nullptr : std::malloc(bytes);
  if (allocations_left > 0) --allocations_left;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace jackdaw::gc {
namespace {

// The marks of the last collection say which slots are in use: they must be there when the next one fails.
// More roots than before, so that gathering them needs memory; three times as much garbage, so that slots are
// left free.
TEST(CollectionMemory, TooLittleOfItLeavesTheHeapAsItIs) {
  constexpr std::uint64_t kRoots = 20'000;
  Collector collector(only_when_asked());
  Mutator mutator(collector);
  std::deque<Handle> roots;
  const auto add_root = [&](std::uint64_t number) {
    roots.emplace_back(mutator, mutator.allocate(Record::type()));
    Record::number(roots.back().get()) = number;
  };
  for (std::uint64_t number = 0; number < kRoots / 2; ++number) {
    for (int i = 0; i < 3; ++i) ASSERT_NE(mutator.allocate(Record::type()), nullptr);
    add_root(number);
  }
  mutator.collect();
  for (std::uint64_t number = kRoots / 2; number < kRoots; ++number) add_root(number);
  const auto collects_with = [&](int allocations) {
    allocations_left = allocations;
    bool collected = true;
    try {
      mutator.collect();
    } catch (const std::bad_alloc&) {
      collected = false;
    }
    allocations_left = -1;
    return collected;
  };
  // Wherever the collection runs short.
  int failures = 0;
  for (; !collects_with(failures); ++failures) {
    for (std::uint64_t i = 0; i < kRoots / 20; ++i) ASSERT_NE(mutator.allocate(Record::type()), nullptr);
  }
  EXPECT_GE(failures, 2) << "the collection needed less memory than this test believes";
  for (std::uint64_t i = 0; i < 4 * kRoots; ++i) ASSERT_NE(mutator.allocate(Record::type()), nullptr);
  for (std::uint64_t number = 0; number < kRoots; ++number) {
    ASSERT_EQ(Record::number(roots[number].get()), number);
  }
}

}  // namespace
}  // namespace jackdaw::gc
