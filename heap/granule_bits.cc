#include "heap/granule_bits.h"

namespace jackdaw::heap {

namespace {

// Returns the bits of word `word` of a block that belong to granules of the range.
std::uint64_t mask_of(GranuleRange range, std::uint32_t word) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const std::uint32_t first = std::max(range.first, word * 64) - word * 64;
  const std::uint32_t end = std::min(range.end, word * 64 + 64) - word * 64;
  return kAll >> (64 - end) & kAll << first;
}

// Calls function(word, mask) for each word that the nonempty range lies in.
template <typename Function>
void for_each_word_of(GranuleRange range, Function function) {
  for (std::uint32_t word = range.first / 64; word * 64 < range.end; ++word)
    function(word, mask_of(range, word));
}

// Returns the first granule from `from` on whose bit is set in word_at(word); kGranulesPerBlock if there is
// none.
template <typename WordAt>
std::uint32_t find_bit(std::uint32_t from, WordAt word_at) {
  if (from >= kGranulesPerBlock) return kGranulesPerBlock;
  std::uint32_t word = from / 64;
  std::uint64_t bits = word_at(word) & (~std::uint64_t{0} << (from % 64));
  while (bits == 0) {
    if (++word == kMarkWordsPerBlock) return kGranulesPerBlock;
    bits = word_at(word);
  }
  return word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

// This avoids std::popcount, which is a call on the oldest processors, for which this is compiled.
std::uint32_t count_bits(const std::array<std::uint64_t, kMarkWordsPerBlock>& words) {
  constexpr std::uint64_t kOddBits = 0x5555'5555'5555'5555;
  constexpr std::uint64_t kOddPairs = 0x3333'3333'3333'3333;
  constexpr std::uint64_t kOddNibbles = 0x0f0f'0f0f'0f0f'0f0f;
  constexpr std::uint64_t kOddBytes = 0x00ff'00ff'00ff'00ff;
  static_assert(8 * kMarkWordsPerBlock < 256, "the sums below are one to a byte");
  std::uint64_t sums = 0;
  for (std::uint64_t bits : words) {
    bits -= (bits >> 1) & kOddBits;
    bits = (bits & kOddPairs) + ((bits >> 2) & kOddPairs);
    sums += (bits + (bits >> 4)) & kOddNibbles;
  }
  const std::uint64_t in_pairs = (sums & kOddBytes) + ((sums >> 8) & kOddBytes);
  return static_cast<std::uint32_t>((in_pairs * 0x0001'0001'0001'0001) >> 48);
}

}  // namespace

void GranuleBits::set_block(std::size_t block) {
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed, all: a marker learns of the block's use from the map, whose write releases (BlockMap::set).
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word)
    words_[word].store(~std::uint64_t{0}, std::memory_order_relaxed);
}

void GranuleBits::clear_block(std::size_t block) {
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed: see Chunk::is_allocated.
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word)
    words_[word].store(0, std::memory_order_relaxed);
}

void GranuleBits::set_block_to_complement(std::size_t block, const GranuleBits& other) {
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed, all: no other thread reads them before the next marking starts, which synchronises.
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word)
    words_[word].store(~other.words_[word].load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void GranuleBits::keep_common(std::size_t block, const GranuleBits& other, bool is_shared) {
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed, all: the marking is over, and no thread allocates.
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word) {
    const std::uint64_t bits = other.words_[word].load(std::memory_order_relaxed);
    if (is_shared) {
      words_[word].fetch_and(bits, std::memory_order_relaxed);
    } else {
      words_[word].store(words_[word].load(std::memory_order_relaxed) & bits, std::memory_order_relaxed);
    }
  }
}

void GranuleBits::set_slots(std::size_t block, GranuleRange range, const SlotStarts& starts, bool is_shared) {
  const std::size_t first_word = block * kMarkWordsPerBlock;
  for_each_word_of(range, [&](std::uint32_t word, std::uint64_t mask) {
    const std::uint64_t bits = starts.words[word] & mask;
    if (is_shared) {
      // Acquire: pairs with the release in clear_range.
      words_[first_word + word].fetch_or(bits, std::memory_order_acquire);
    } else {
      add(first_word + word, bits);
    }
  });
}

void GranuleBits::clear_range(std::size_t block, GranuleRange range) {
  const std::size_t first_word = block * kMarkWordsPerBlock;
  for_each_word_of(range, [&](std::uint32_t word, std::uint64_t mask) {
    // Release: pairs with the acquire in set_slots, so that writes to the object happen before writes to its
    // successor in the slot.
    words_[first_word + word].fetch_and(~mask, std::memory_order_release);
  });
}

GranuleRange GranuleBits::find_clear_slots(std::size_t block, const SlotStarts& starts,
                                           std::uint32_t from) const {
  const auto set_in = [&](std::uint32_t word) {
    // Relaxed: see Chunk::is_allocated.
    return words_[block * kMarkWordsPerBlock + word].load(std::memory_order_relaxed);
  };
  const std::uint32_t first =
      find_bit(from, [&](std::uint32_t word) { return starts.words[word] & ~set_in(word); });
  if (first == kGranulesPerBlock) return {first, first};
  return {first, std::min(starts.end, find_bit(first, set_in))};
}

std::uint32_t GranuleBits::count_common(const GranuleBits& one, const GranuleBits& other, std::size_t block,
                                        const BlockInfo& info) {
  std::array<std::uint64_t, kMarkWordsPerBlock> common;
  std::uint64_t any = 0;
  for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word) {
    // Relaxed, both: the marking is over.
    common[word] = one.words(block)[word].load(std::memory_order_relaxed) &
                   other.words(block)[word].load(std::memory_order_relaxed);
    any |= common[word];
  }
  // Objects that were allocated together often live and die together: then no bit is set, or every one.
  if (any == 0) return 0;
  const SlotStarts& starts = SizeClasses::slot_starts(info.size_class);
  std::uint64_t missing = 0;
  for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word) missing |= common[word] ^ starts.words[word];
  return missing == 0 ? info.slots() : count_bits(common);
}

}  // namespace jackdaw::heap
