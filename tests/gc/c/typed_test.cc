// Objects and arrays whose layout is told: exactly the words that it names keep what they lead to.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "tests/gc/c/hidden_objects.h"

namespace jackdaw::c_interface {
namespace {

using Bits = std::vector<bool>;

GC_descr described(const Bits& bits) {
  std::vector<GC_word> bitmap(bits.size() / GC_WORDSZ + 1);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) GC_set_bit(bitmap, i);
  }
  return GC_make_descriptor(bitmap.data(), bits.size());
}

Bits random_bits(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bits bits(count);
  for (std::size_t i = 0; i < count; ++i) bits[i] = random() % 2 == 0;
  return bits;
}

// Allocates objects, by `make()`, of which each word leads to an object of its own, and holds what is left of
// those to the layout: a word that is `i` words into an element is a pointer if bits[i].
template <typename Make>
void expect_marked_by(const Bits& bits, std::size_t elements, Make make) {
  constexpr std::size_t kObjects = 20;
  auto** const table = static_cast<GC_word**>(GC_malloc(kObjects * sizeof(GC_word*)));
  HiddenObjects named;
  HiddenObjects others;
  const auto fill = [&](GC_word* object) {
    for (std::size_t word = 0; word < elements * bits.size(); ++word) {
      void* const target = GC_malloc_atomic(16);
      (bits[word % bits.size()] ? named : others).add(target);
      object[word] = reinterpret_cast<GC_word>(target);
    }
  };
  GC_disable();
  for (std::size_t i = 0; i < kObjects; ++i) fill(table[i] = static_cast<GC_word*>(make()));
  GC_enable();
  collect_cleanly();
  EXPECT_EQ(named.still_there(), named.size());
  EXPECT_LE(others.still_there(), kFew);
  EXPECT_NE(table[0], nullptr);
}

TEST(Typed, ObjectsAreMarkedByTheirLayout) {
  GC_init();
  for (const std::size_t words : Sizes{1, 2, 3, 10, 61, 62, 63, 64, 65, 128, 200, 1500}) {
    SCOPED_TRACE(words);
    const Bits bits = random_bits(words, 1);
    const GC_descr layout = described(bits);
    const std::size_t bytes = words * sizeof(GC_word);
    expect_marked_by(bits, 1, [=] { return GC_malloc_explicitly_typed(bytes, layout); });
    expect_marked_by(bits, 1, [=] { return GC_malloc_explicitly_typed_ignore_off_page(bytes, layout); });
  }
}

TEST(Typed, ArraysAreMarkedByTheLayoutOfTheirElements) {
  GC_init();
  for (const std::size_t words : Sizes{1, 2, 3, 10, 31, 62, 63, 100}) {
    for (const std::size_t count : Sizes{1, 2, 6, 7, 30}) {
      SCOPED_TRACE(testing::Message() << count << " of " << words);
      const Bits bits = random_bits(words, 2);
      const GC_descr layout = described(bits);
      const std::size_t bytes = words * sizeof(GC_word);
      expect_marked_by(bits, count, [=] { return GC_calloc_explicitly_typed(count, bytes, layout); });
    }
  }
}

TEST(Typed, ArraysThatWerePreparedOnce) {
  GC_init();
  for (const std::size_t words : Sizes{1, 10, 100}) {
    const Bits bits = random_bits(words, 3);
    GC_calloc_typed_descr_s prepared;
    EXPECT_EQ(GC_calloc_prepare_explicitly_typed(&prepared, sizeof prepared, 7, words * sizeof(GC_word),
                                                 described(bits)),
              1);
    expect_marked_by(bits, 7, [&] { return GC_calloc_do_explicitly_typed(&prepared, sizeof prepared); });
  }
}

TEST(Typed, ArraysOfElementsThatAreAllPointersOrNone) {
  GC_init();
  for (const bool is_pointer : {false, true}) {
    const Bits bits(3, is_pointer);
    const GC_descr layout = is_pointer ? 3 * sizeof(GC_word) : described(bits);
    expect_marked_by(bits, 50, [=] { return GC_calloc_explicitly_typed(50, 3 * sizeof(GC_word), layout); });
  }
}

TEST(Typed, ElementsMayBeMarkedByALength) {
  GC_init();
  const Bits bits = {true, false, false};
  expect_marked_by(bits, 50, [] {
    return GC_calloc_explicitly_typed(50, 3 * sizeof(GC_word), sizeof(GC_word) | GC_DS_LENGTH);
  });
}

TEST(Typed, BitsBeyondTheEndCountForNothing) {
  GC_init();
  const std::vector<GC_word> all(4, ~GC_word{0});
  for (const std::size_t count : Sizes{5, 70, 130}) {
    Bits bits(count, true);
    const GC_descr layout = GC_make_descriptor(all.data(), count);
    bits.resize(count + 10, false);
    expect_marked_by(bits, 1,
                     [&] { return GC_malloc_explicitly_typed(bits.size() * sizeof(GC_word), layout); });
  }
}

TEST(Typed, ObjectsOfOddSizesAreClear) {
  const GC_descr layout = described({true, false, true});
  for (std::size_t bytes = 0; bytes < 30'000; bytes = bytes * 4 / 3 + 1) {
    const auto* const object = static_cast<const unsigned char*>(GC_malloc_explicitly_typed(bytes, layout));
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(object[i], 0);
  }
  GC_gcollect();
}

TEST(Typed, RefuseSizesThatOverflow) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  volatile std::size_t bytes = kMost;
  EXPECT_EQ(GC_malloc_explicitly_typed(bytes, 0), nullptr);
  EXPECT_EQ(GC_calloc_explicitly_typed(bytes / 8, 16, 0), nullptr);
  EXPECT_EQ(GC_calloc_explicitly_typed(bytes / 16, 8, described({true})), nullptr);
  GC_calloc_typed_descr_s prepared;
  EXPECT_EQ(GC_calloc_prepare_explicitly_typed(&prepared, sizeof prepared, bytes / 8, 16, 0), 0);
  EXPECT_EQ(GC_calloc_do_explicitly_typed(&prepared, sizeof prepared), nullptr);
}

}  // namespace
}  // namespace jackdaw::c_interface
