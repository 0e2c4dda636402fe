// GranuleBits: a bit for each granule of a chunk. A chunk has two of them: the mark bits and the allocation
// bits.
//
// The word and the bit of an object follow from its address by masking and shifting. Both kinds of bits are
// set for the first granule of an object alone.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/set_bit.h"
#include "heap/block_info.h"
#include "heap/layout.h"
#include "heap/object.h"
#include "heap/size_classes.h"

namespace jackdaw::heap {

/// The number of words of one block's bits.
inline constexpr std::size_t kMarkWordsPerBlock = kGranulesPerBlock / 64;

/// A range of granules of a block: [first, end).
struct GranuleRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

/// An array in a chunk. Its elements are zero at first, as a chunk's memory is: no constructor writes them,
/// so that pages that are never written take no memory.
template <typename Element, std::size_t kCount>
union Zeroed {
  Zeroed() {}   // NOLINT(modernize-use-equals-default): would be deleted
  ~Zeroed() {}  // NOLINT(modernize-use-equals-default): likewise
  std::array<Element, kCount> values;
  Element& operator[](std::size_t index) { return values[index]; }
  const Element& operator[](std::size_t index) const { return values[index]; }
};

class GranuleBits {
 public:
  /// Returns the number of the granule in its chunk that an address lies in.
  [[nodiscard]] static std::size_t granule_of(const void* address) {
    return (reinterpret_cast<std::uintptr_t>(address) & (kChunkBytes - 1)) / kGranuleBytes;
  }
  /// Returns the bit of an object in its word.
  [[nodiscard]] static std::uint64_t bit_of(const void* object) {
    return std::uint64_t{1} << (granule_of(object) % 64);
  }
  [[nodiscard]] std::atomic<std::uint64_t>& word_of(const void* object) {
    return words_[granule_of(object) / 64];
  }
  [[nodiscard]] const std::atomic<std::uint64_t>& word_of(const void* object) const {
    return words_[granule_of(object) / 64];
  }
  /// Returns the kMarkWordsPerBlock words of a block.
  [[nodiscard]] std::atomic<std::uint64_t>* words(std::size_t block) {
    return &words_[block * kMarkWordsPerBlock];
  }
  [[nodiscard]] const std::atomic<std::uint64_t>* words(std::size_t block) const {
    return &words_[block * kMarkWordsPerBlock];
  }

  [[nodiscard]] bool test(const void* object, std::memory_order order) const {
    return (word_of(object).load(order) & bit_of(object)) != 0;
  }
  /// Sets the bit of an object and returns whether it was clear. No other thread may change bits of its block
  /// meanwhile.
  [[gnu::always_inline]] bool set_exclusively(const void* object) {
    return set_exclusively_at(granule_of(object));
  }
  [[gnu::always_inline]] bool set_exclusively_at(std::size_t granule) {
    std::atomic<std::uint64_t>& word = words_[granule / 64];
    // Relaxed, both: a plain load and store, as no other thread changes the word.
    std::uint64_t bits = word.load(std::memory_order_relaxed);
    if (base::set_bit(bits, granule)) return false;
    word.store(bits, std::memory_order_relaxed);
    return true;
  }
  /// Sets the bit as set_exclusively() does, among several such threads: it returns true to exactly one.
  [[gnu::always_inline]] bool set_shared(const void* object) {
    std::atomic<std::uint64_t>& word = word_of(object);
    const std::uint64_t bit = bit_of(object);
    // Relaxed, both: the bit decides which thread visits the object and orders nothing; the object was
    // written before the round began. The load first spares marked objects the locked access.
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  // Relaxed: as in set_shared.
  void reset(const void* object) { word_of(object).fetch_and(~bit_of(object), std::memory_order_relaxed); }

  /// Sets bits of a word that no other thread changes meanwhile.
  void add(std::size_t word, std::uint64_t bits) {
    // Relaxed, both: see Chunk::is_allocated.
    const std::uint64_t before = words_[word].load(std::memory_order_relaxed);
    words_[word].store(before | bits, std::memory_order_relaxed);
  }
  /// Sets, or clears, all bits of a block.
  void set_block(std::size_t block);
  void clear_block(std::size_t block);
  /// Makes the bits of a block the complement of the other's. Neither changes meanwhile.
  void set_block_to_complement(std::size_t block, const GranuleBits& other);
  /// Clears the bits of a block that are clear in `other`. `is_shared`: other threads may clear bits of the
  /// block meanwhile.
  void keep_common(std::size_t block, const GranuleBits& other, bool is_shared);
  /// Sets the bits of a block where slots start in a range. `is_shared`: other threads may clear bits of the
  /// block meanwhile; the caller then sees what was written to a slot before clear_range().
  void set_slots(std::size_t block, GranuleRange range, const SlotStarts& starts, bool is_shared);
  /// Sets the bits of the first run of slots, from granule `from` on, whose bits are clear, and returns it,
  /// if a set bit follows it in its word; else it changes nothing and returns an empty one. No other thread
  /// may change bits of the block meanwhile.
  GranuleRange take_run_of_word(std::size_t block, const SlotStarts& starts, std::uint32_t from) {
    JACKDAW_CHECK(from < kGranulesPerBlock);
    std::uint64_t mask = ~std::uint64_t{0} << from % 64;
    for (std::uint32_t index = from / 64; index < kMarkWordsPerBlock; ++index, mask = ~std::uint64_t{0}) {
      std::atomic<std::uint64_t>& word = words(block)[index];
      // Relaxed, both: see Chunk::is_allocated.
      const std::uint64_t set = word.load(std::memory_order_relaxed);
      const std::uint64_t clear = starts.words[index] & ~set & mask;
      if (clear == 0) continue;
      const std::uint64_t set_behind = set & ~(clear ^ (clear - 1));
      if (set_behind == 0) break;
      word.store(set | (clear & (set_behind ^ (set_behind - 1))), std::memory_order_relaxed);
      return {index * 64 + static_cast<std::uint32_t>(__builtin_ctzll(clear)),
              index * 64 + static_cast<std::uint32_t>(__builtin_ctzll(set_behind))};
    }
    return {};
  }
  /// Clears the bits of a range of a block, while other threads change other bits.
  void clear_range(std::size_t block, GranuleRange range);

  /// Returns the first run of slots of a block, from granule `from` on, whose bits are clear; empty when
  /// there is none.
  [[nodiscard]] GranuleRange find_clear_slots(std::size_t block, const SlotStarts& starts,
                                              std::uint32_t from) const;
  /// Returns how many bits of a block of slots are set in both. No other thread may change them meanwhile.
  [[nodiscard]] static std::uint32_t count_common(const GranuleBits& one, const GranuleBits& other,
                                                  std::size_t block, const BlockInfo& info);

  /// Calls `function(granule)` for the set bits of a block, in order; granules are numbered from the block's
  /// start on.
  template <typename Function>
  void for_each(std::size_t block, Function function) const {
    for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word) {
      // Relaxed: see Chunk::is_allocated.
      std::uint64_t bits = words(block)[word].load(std::memory_order_relaxed);
      for (; bits != 0; bits &= bits - 1)
        function(word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)));
    }
  }
  /// Calls `function(granule)` where a bit of a block is set in both, for the granules from `granule` to
  /// `end`. Any thread, while others set bits.
  template <typename Function>
  static void for_each_common(const GranuleBits& one, const GranuleBits& other, std::size_t block,
                              std::size_t granule, std::size_t end, Function function) {
    while (granule < end) {
      const std::size_t word = granule / 64;
      // Relaxed, both: see Chunk::is_marked and Chunk::is_allocated.
      std::uint64_t bits = (one.words(block)[word].load(std::memory_order_relaxed) &
                            other.words(block)[word].load(std::memory_order_relaxed)) >>
                           granule % 64;
      for (; bits != 0 && granule < end; granule += 1, bits >>= 1) {
        const auto zeros = static_cast<std::size_t>(__builtin_ctzll(bits));
        granule += zeros;
        bits >>= zeros;
        if (granule < end) function(granule);
      }
      granule = std::max(granule, (word + 1) * 64);
    }
  }

 private:
  Zeroed<std::atomic<std::uint64_t>, kChunkBytes / kGranuleBytes / 64> words_;
};

}  // namespace jackdaw::heap
