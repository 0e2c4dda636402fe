// Programs that make garbage for ever run in bounded memory, and what they keep stays as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "heap/chunk.h"
#include "mark/random_numbers.h"
#include "tests/gc/runtime/program.h"
#include "tests/heap/contents.h"
#include "tests/scaled.h"

namespace jackdaw::gc {
namespace {

using heap::Object;
using heap::TypeDescriptor;

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;

const TypeDescriptor& data() {
  static const TypeDescriptor type = TypeDescriptor::none(0);
  return type;
}
class BoundedMemory : public testing::Test {
 protected:
  static CollectorOptions options() {
    CollectorOptions options;
    options.marking.engine.threads = 2;
    options.minimum_budget_bytes = 2 * kMegabyte;
    return options;
  }

  // The most memory that chunks may take when never more than `bytes` are needed at once: some are kept for
  // later, and objects do not fill them to the last byte.
  static std::uint64_t bound(std::uint64_t bytes) { return bytes + bytes / 4 + 3 * heap::kChunkBytes; }

  // Allocates garbage of sizes from 8 bytes up; `garbage` megabytes in all, scaled.
  void make_garbage(std::uint64_t megabytes, std::uint32_t most_bytes) {
    std::uint64_t left = mark::scaled(megabytes * kMegabyte);
    while (left > 0) {
      const std::size_t bytes = 8 + random_.below(most_bytes);
      Object* const object = mutator_.allocate(data(), bytes);
      ASSERT_NE(object, nullptr);
      heap::fill_contents(object, bytes, left);
      left -= std::min<std::uint64_t>(left, bytes);
      most_chunk_bytes_ = std::max(most_chunk_bytes_, collector_.heap().chunk_bytes());
    }
  }

  Collector collector_{options()};
  Mutator mutator_{collector_};
  mark::RandomNumbers random_{1};
  std::uint64_t most_chunk_bytes_ = 0;
};

TEST_F(BoundedMemory, OfSmallGarbageAlone) {
  make_garbage(600, 200);
  EXPECT_GT(collector_.collections(), mark::scaled(600 / 4));
  EXPECT_LE(most_chunk_bytes_, bound(4 * kMegabyte));
}

TEST_F(BoundedMemory, OfGarbageOfEverySize) {
  make_garbage(200, 100);
  make_garbage(200, 8000);
  make_garbage(400, 60'000);
  make_garbage(1500, 7'000'000);
  make_garbage(200, 100);
  // Objects of up to 7 MB, the last of them beyond the budget, in holes that do not fit all of them.
  EXPECT_LE(most_chunk_bytes_, bound(40 * kMegabyte));
}

TEST_F(BoundedMemory, BesideAList) {
  const std::uint64_t length = mark::scaled(100'000);
  Handle list(mutator_);
  for (std::uint64_t i = 0; i < length; ++i) ASSERT_TRUE(prepend(mutator_, list, i));
  for (int i = 0; i < 4; ++i) {
    make_garbage(60, 300);
    ASSERT_TRUE(is_list_of(list.get(), 0, length));
  }
  EXPECT_LE(most_chunk_bytes_, bound(3 * length * Record::kBytes + 4 * kMegabyte));
}

TEST_F(BoundedMemory, BesideArraysWhoseElementsAreReplacedAllTheTime) {
  constexpr std::uint64_t kLength = 3000;
  const Handle array(mutator_, mutator_.allocate_array(array_type(), kLength));
  std::vector<std::size_t> sizes(kLength, 0);
  const std::size_t replacements = mark::scaled(400'000);
  for (std::size_t i = 0; i < replacements; ++i) {
    const std::uint64_t place = random_.below(kLength);
    if (Object* const old = *array->element(place)) {
      ASSERT_TRUE(heap::has_contents(old, sizes[place], place));
    }
    sizes[place] = 8 + random_.below(i % 64 == 0 ? 40'000 : 1500);
    Object* const object = mutator_.allocate(data(), sizes[place]);
    ASSERT_NE(object, nullptr);
    ASSERT_TRUE(heap::is_cleared(object, sizes[place]));
    heap::fill_contents(object, sizes[place], place);
    *array->element(place) = object;
    most_chunk_bytes_ = std::max(most_chunk_bytes_, collector_.heap().chunk_bytes());
  }
  for (std::uint64_t place = 0; place < kLength; ++place) {
    if (Object* const object = *array->element(place)) {
      ASSERT_TRUE(heap::has_contents(object, sizes[place], place));
    }
  }
  EXPECT_GT(collector_.collections(), 2U);
  EXPECT_LE(most_chunk_bytes_, bound(32 * kMegabyte));
}

// A tree that is rebuilt path by path: old and new nodes lie mixed in every block.
TEST_F(BoundedMemory, BesideATreeThatIsRebuiltAllTheTime) {
  constexpr std::uint64_t kDepth = 12;
  Handle root(mutator_);
  const std::size_t paths = mark::scaled(100'000);
  for (std::size_t i = 0; i < paths; ++i) {
    // A copy of the path to a random leaf, from the root down; the rest of the tree is shared.
    std::uint64_t way = random_.below(1U << kDepth);
    Object* const top = mutator_.allocate(Record::type());
    ASSERT_NE(top, nullptr);
    const Handle new_root(mutator_, top);
    Handle old_node(mutator_, root.get());
    Handle new_node(mutator_, top);
    for (std::uint64_t depth = 0; depth < kDepth; ++depth, way >>= 1) {
      if (old_node.get() != nullptr) {
        Record::next(new_node.get()) = Record::next(old_node.get());
        Record::other(new_node.get()) = Record::other(old_node.get());
        ASSERT_EQ(Record::number(old_node.get()), depth);
      }
      Record::number(new_node.get()) = depth;
      const bool left = (way & 1) != 0;
      if (old_node.get() != nullptr)
        old_node = left ? Record::next(old_node.get()) : Record::other(old_node.get());
      Object* const child = mutator_.allocate(Record::type());
      ASSERT_NE(child, nullptr);
      (left ? Record::next(new_node.get()) : Record::other(new_node.get())) = child;
      new_node = child;
    }
    Record::number(new_node.get()) = kDepth;
    root = new_root.get();
    most_chunk_bytes_ = std::max(most_chunk_bytes_, collector_.heap().chunk_bytes());
  }
  EXPECT_GT(collector_.collections(), 0U);
  EXPECT_LE(mutator_.collect().live_objects, (2U << kDepth) + 1);
  EXPECT_LE(most_chunk_bytes_, bound(4 * kMegabyte));
}

// The request is far beyond any memory. It fails; afterwards collections must come as often as before.
TEST_F(BoundedMemory, AfterARequestThatNothingCanMeet) {
  for (const std::uint64_t length :
       {std::uint64_t{1} << 57, std::uint64_t{1} << 60, (std::uint64_t{1} << 61) - 3}) {
    EXPECT_EQ(mutator_.allocate_array(array_type(), length), nullptr);
    make_garbage(100, 500);
    EXPECT_LE(most_chunk_bytes_, bound(4 * kMegabyte)) << "after an array of " << length;
  }
}

// A large object that dies at once raises what may be allocated for once only.
TEST_F(BoundedMemory, AfterLargeObjects) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_NE(mutator_.allocate(data(), 50 * kMegabyte), nullptr);
    make_garbage(40, 500);
  }
  EXPECT_LE(most_chunk_bytes_, bound(110 * kMegabyte));
  mutator_.collect();
  EXPECT_LE(collector_.heap().chunk_bytes(), bound(4 * kMegabyte));
}

TEST_F(BoundedMemory, ShrinksAgainWhenTheLiveDataIsGone) {
  Handle list(mutator_);
  for (std::uint64_t i = 0; i < mark::scaled(2'000'000); ++i) ASSERT_TRUE(prepend(mutator_, list, i));
  const std::uint64_t full = collector_.heap().chunk_bytes();
  list = nullptr;
  for (int i = 0; i < 5; ++i) mutator_.collect();
  EXPECT_LE(collector_.heap().chunk_bytes(), std::max<std::uint64_t>(full / 4, 2 * heap::kChunkBytes));
}

}  // namespace
}  // namespace jackdaw::gc
