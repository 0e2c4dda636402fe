// Word scan: words that lead into allocated objects count, all others do not.
#include "heap/word_scan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "heap/allocator.h"
#include "heap/heap.h"
#include "tests/heap/marks.h"

namespace jackdaw::heap {
namespace {

class WordScanTest : public testing::Test {
 protected:
  static std::uintptr_t address_of(const Object* object) { return reinterpret_cast<std::uintptr_t>(object); }
  static std::vector<Object*> found_in(const std::vector<std::uintptr_t>& words, const Object* of_heap) {
    std::vector<Object*> found;
    for_each_object_in(words, Chunk::of(of_heap)->map(), [&](Object* object) { found.push_back(object); });
    return found;
  }

  Heap heap_;
  Allocator allocator_{heap_};
};

TEST_F(WordScanTest, AddressesAnywhereInObjectsOfEveryKindCount) {
  const TypeDescriptor type = TypeDescriptor::all_words(64);
  Object* const typed = allocator_.allocate(type);
  Object* const data = allocator_.allocate_plain(100, Contents::data);
  Object* const words = allocator_.allocate_plain(1, Contents::words);
  Object* const large = allocator_.allocate_plain(3 * kBlockBytes, Contents::words);
  Object* const oversized = allocator_.allocate_plain(2 * kChunkBytes, Contents::words);
  const std::vector<std::uintptr_t> roots = {
      address_of(typed) + 63,
      address_of(data),
      address_of(words) + 15,
      address_of(large) + 2 * kBlockBytes + 5,
      address_of(oversized) + kChunkBytes + 12345,
  };
  EXPECT_EQ(found_in(roots, typed), (std::vector<Object*>{typed, data, words, large, oversized}));
}

TEST_F(WordScanTest, OtherWordsDoNot) {
  Object* const object = allocator_.allocate_plain(48, Contents::words);
  const int on_stack = 0;
  const std::uintptr_t header = reinterpret_cast<std::uintptr_t>(Chunk::of(object));
  EXPECT_TRUE(found_in({0, 1, ~std::uintptr_t{0}, reinterpret_cast<std::uintptr_t>(&on_stack), header,
                        header + kFirstBlock * kBlockBytes - 1, header + kChunkBytes - 1,
                        address_of(object) ^ std::uintptr_t{1} << 47},
                       object)
                  .empty());
}

TEST_F(WordScanTest, DeadObjectsDoNot) {
  Object* const small = allocator_.allocate_plain(48, Contents::words);
  Object* const neighbour = allocator_.allocate_plain(48, Contents::words);
  Object* const large = allocator_.allocate_plain(3 * kBlockBytes, Contents::words);
  keep_only(heap_, std::vector<Object*>{neighbour});
  EXPECT_EQ(found_in({address_of(small), address_of(large), address_of(large) + kBlockBytes,
                      address_of(neighbour) + 47},
                     small),
            std::vector<Object*>{neighbour});
}

}  // namespace
}  // namespace jackdaw::heap
