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
  static Words words_of(const std::vector<std::uintptr_t>& words) {
    return {words_at(words.data()), words.size()};
  }
  // Returns what a marker finds: an address that is marked from the beginning is no object.
  std::vector<Object*> found_in(const std::vector<std::uintptr_t>& words) {
    std::vector<Object*> found;
    heap_.clear_marks();
    for_each_slot_in(words_of(words), heap_.map(), [&](Object* object) {
      if (!Chunk::of(object)->is_marked(object)) found.push_back(object);
    });
    return found;
  }

  Heap heap_;
  Allocator allocator_{heap_};
};

TEST_F(WordScanTest, AddressesAnywhereInObjectsOfEveryKindCount) {
  const TypeDescriptor type = TypeDescriptor::all_words(64);
  Object* const typed = allocator_.allocate(type);
  Object* const data = allocator_.allocate_plain(100, KindNumber::data);
  Object* const words = allocator_.allocate_plain(1, KindNumber::words);
  Object* const large = allocator_.allocate_plain(3 * kBlockBytes, KindNumber::words);
  Object* const oversized = allocator_.allocate_plain(2 * kChunkBytes, KindNumber::words);
  const std::vector<std::uintptr_t> roots = {
      address_of(typed) + 63,
      address_of(data),
      address_of(words) + 15,
      address_of(large) + 2 * kBlockBytes + 5,
      address_of(oversized) + kChunkBytes + 12345,
  };
  EXPECT_EQ(found_in(roots), (std::vector<Object*>{typed, data, words, large, oversized}));
}

TEST_F(WordScanTest, WhereNotAllAddressesCountThoseAtDisplacementsDo) {
  Object* const small = allocator_.allocate_plain(64, KindNumber::words);
  Object* const large = allocator_.allocate_plain(3 * kBlockBytes, KindNumber::words);
  heap_.set_all_addresses_keep(false);
  heap_.displacements().add(8);
  heap_.displacements().add(kBlockBytes - 1);
  EXPECT_EQ(found_in({address_of(small), address_of(large)}), (std::vector<Object*>{small, large}));
  EXPECT_EQ(found_in({address_of(small) + 8, address_of(large) + kBlockBytes - 1}),
            (std::vector<Object*>{small, large}));
  EXPECT_TRUE(found_in({address_of(small) + 1, address_of(small) + 16, address_of(large) + kBlockBytes,
                        address_of(large) + 2 * kBlockBytes + 8})
                  .empty());
  EXPECT_EQ(slot_at_word(heap_.map(), address_of(small) + 8), small);
  EXPECT_EQ(slot_at_word(heap_.map(), address_of(small) + 9), nullptr);
  std::vector<Object*> found;
  for_each_slot_in_stack(words_of({address_of(small) + 9}), heap_.map(),
                         [&](Object* object) { found.push_back(object); });
  EXPECT_EQ(found, std::vector<Object*>{small}) << "in stacks all addresses count";
  heap_.set_all_addresses_keep(true);
  EXPECT_EQ(found_in({address_of(small) + 9}), std::vector<Object*>{small});
}

TEST_F(WordScanTest, OtherWordsDoNot) {
  Object* const object = allocator_.allocate_plain(48, KindNumber::words);
  const int on_stack = 0;
  const std::uintptr_t header = reinterpret_cast<std::uintptr_t>(Chunk::of(object));
  EXPECT_TRUE(found_in({0, 1, ~std::uintptr_t{0}, reinterpret_cast<std::uintptr_t>(&on_stack), header,
                        header + kFirstBlock * kBlockBytes - 1, header + kChunkBytes - 1,
                        address_of(object) ^ std::uintptr_t{1} << 47})
                  .empty());
}

TEST_F(WordScanTest, DeadObjectsDoNot) {
  Object* const small = allocator_.allocate_plain(48, KindNumber::words);
  Object* const neighbour = allocator_.allocate_plain(48, KindNumber::words);
  Object* const large = allocator_.allocate_plain(3 * kBlockBytes, KindNumber::words);
  keep_only(heap_, std::vector<Object*>{neighbour});
  EXPECT_EQ(found_in({address_of(small), address_of(large), address_of(large) + kBlockBytes,
                      address_of(neighbour) + 47}),
            std::vector<Object*>{neighbour});
}

TEST_F(WordScanTest, OfObjectsThatAreKeptNearTheirStartOnlyTheFirstBlockCounts) {
  Object* const object = heap_.allocate_large(3 * kBlockBytes, KindNumber::words, LargeAddresses::near_start);
  EXPECT_EQ(found_in({address_of(object) + kBlockBytes - 1}), std::vector<Object*>{object});
  EXPECT_TRUE(found_in({address_of(object) + kBlockBytes}).empty());
  EXPECT_EQ(heap_.object_at(reinterpret_cast<std::byte*>(object) + kBlockBytes), object) << "all the same";
}

TEST_F(WordScanTest, LargeObjectsAreNotPutWhereWordsSeemToLead) {
  Object* const first = allocator_.allocate_plain(2 * kBlockBytes, KindNumber::words);
  const std::uintptr_t next = address_of(first) + 2 * kBlockBytes;
  EXPECT_TRUE(found_in({next + 100, next + kBlockBytes}).empty());
  EXPECT_EQ(address_of(allocator_.allocate_plain(2 * kBlockBytes, KindNumber::words)),
            next + 2 * kBlockBytes);
  EXPECT_EQ(address_of(allocator_.allocate_plain(16, KindNumber::words)), next) << "a small one may be there";
}

}  // namespace
}  // namespace jackdaw::heap
