// GC_realloc: contents, kinds and places of objects that change their size.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "gc/c/kinds.h"
#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

TEST(Realloc, OfNullAllocatesAndToNothingFrees) {
  void* const object = GC_realloc(nullptr, 100);
  EXPECT_EQ(GC_get_kind_and_size(object, nullptr), GC_I_NORMAL);
  EXPECT_EQ(GC_realloc(object, 0), nullptr);
  EXPECT_TRUE(is_given_out_again(object, 100));
}

TEST(Realloc, StaysInPlaceWhereItCan) {
  void* const object = GC_malloc(100);
  EXPECT_EQ(GC_realloc(object, 90), object);
  EXPECT_EQ(GC_realloc(object, 105), object);
  EXPECT_NE(GC_realloc(object, 20), object);
  void* const large = GC_malloc(std::size_t{1} << 20);
  EXPECT_EQ(GC_realloc(large, 100'000), large);
  EXPECT_EQ(GC_realloc(large, 200'000), large);
}

TEST(Realloc, StaysInASlotThatLargeObjectsShare) {
  constexpr std::size_t kSlotBytes = 20'480;
  std::array<void*, 12> objects;  // more than have blocks of their own
  for (void*& object : objects) object = GC_malloc(17'000);
  auto* const object = static_cast<unsigned char*>(objects.back());
  ASSERT_EQ(GC_size(object), kSlotBytes);
  std::memset(object, 1, kSlotBytes);
  EXPECT_EQ(GC_realloc(object, 20'000), object);
  EXPECT_EQ(object[19'999], 1);
  EXPECT_EQ(GC_realloc(object, 11'000), object);
  EXPECT_EQ(object[10'999], 1);
  EXPECT_EQ(GC_realloc(object, kSlotBytes - 1), object);
  EXPECT_TRUE(std::ranges::all_of(std::span(object, kSlotBytes).subspan(11'000),
                                  [](unsigned char byte) { return byte == 0; }));
  EXPECT_NE(GC_realloc(object, 9'000), object);
  GC_reachable_here(objects.data());
}

TEST(Realloc, KeepsTheKind) {
  const auto kind_after = [](void* object, std::size_t bytes) {
    return GC_get_kind_and_size(GC_realloc(object, bytes), nullptr);
  };
  EXPECT_EQ(kind_after(GC_malloc_atomic(10), 1000), GC_I_PTRFREE);
  EXPECT_EQ(kind_after(GC_malloc(10), 1000), GC_I_NORMAL);
  EXPECT_EQ(kind_after(GC_malloc(100'000), 10), GC_I_NORMAL);
  const GC_word before = GC_non_gc_bytes;
  void* uncollectable = GC_malloc_uncollectable(10);
  for (const std::size_t bytes : Sizes{1000, 100'000, 2'000'000, 90'000, 10}) {
    uncollectable = GC_realloc(uncollectable, bytes);
    EXPECT_EQ(GC_non_gc_bytes - before, GC_size(uncollectable));
    EXPECT_EQ(GC_get_kind_and_size(uncollectable, nullptr), 2);
  }
}

// It has no extra byte, so all of its slot can be asked for.
TEST(Realloc, LeavesAnUncollectableObjectInItsSlot) {
  GC_init();
  for (const std::size_t bytes : Sizes{16, 32, 80, 1024}) {
    void* const object = GC_malloc_uncollectable(bytes);
    ASSERT_EQ(GC_size(object), bytes);
    EXPECT_EQ(GC_realloc(object, bytes), object);
    void* const smaller = GC_realloc(GC_malloc_uncollectable(bytes / 2), bytes);
    EXPECT_EQ(GC_size(smaller), bytes);
  }
}

TEST(Realloc, LeavesTheObjectWhenThereIsNoMemory) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t size : Sizes{100, 100'000}) {
    auto* const object = static_cast<char*>(GC_malloc(size));
    object[size - 1] = 'x';
    for (const std::size_t bytes : {kMost, kMost - 1, kMost - 20, kMost / 2})
      EXPECT_EQ(GC_realloc(object, bytes), nullptr);
    EXPECT_EQ(object[size - 1], 'x');
    EXPECT_EQ(GC_base(object), object);
    EXPECT_EQ(GC_realloc(object, size), object);
  }
}

// An object beside what it should hold; each byte that was not written is zero, even after it shrank.
class ResizedObject {
 public:
  void resize(std::size_t bytes) {
    object_ = static_cast<unsigned char*>(GC_realloc(object_, bytes));
    expected_.resize(bytes, 0);
    ASSERT_TRUE(std::ranges::equal(std::span(object_, bytes), expected_));
  }
  void write(std::size_t at, unsigned char byte) {
    if (expected_.empty()) return;
    object_[at % expected_.size()] = expected_[at % expected_.size()] = byte;
  }

 private:
  unsigned char* object_ = nullptr;
  std::vector<unsigned char> expected_;
};

TEST(Realloc, KeepsContentsAndClearsWhatIsNew) {
  std::array<ResizedObject, 20> objects;
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int step = 0; step < 4000; ++step) {
    ResizedObject& object = objects[below(objects.size())];
    object.resize(1 + below(below(10) == 0 ? 100'000 : 500));
    for (int i = 0; i < 50; ++i) object.write(random(), static_cast<unsigned char>(random() | 1));
    if (step % 500 == 0) GC_gcollect();
  }
}

TEST(Realloc, KeepsContentsOfLargeObjectsThatShareBlocks) {
  std::array<ResizedObject, 20> objects;
  std::mt19937 random(8);
  for (int step = 0; step < 1000; ++step) {
    ResizedObject& object = objects[random() % objects.size()];
    object.resize(8'500 + random() % 52'000);
    for (int i = 0; i < 50; ++i) object.write(random(), static_cast<unsigned char>(random() | 1));
    if (step % 200 == 0) GC_gcollect();
  }
}

TEST(Reallocf, FreesTheObjectWhenThereIsNoMemory) {
  auto* object = static_cast<char*>(GC_reallocf(nullptr, 10));
  *object = 'x';
  object = static_cast<char*>(GC_reallocf(object, 1000));
  EXPECT_EQ(*object, 'x');
  volatile std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(GC_reallocf(object, most), nullptr);
  EXPECT_TRUE(is_given_out_again(object, 1000));
  void* const freed = GC_malloc(200);
  EXPECT_EQ(GC_reallocf(freed, 0), nullptr);
  EXPECT_TRUE(is_given_out_again(freed, 200));
}

}  // namespace
}  // namespace jackdaw::c_interface
