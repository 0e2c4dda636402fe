#include "heap/chunk.h"

namespace jackdaw::heap {

Chunk::Chunk(std::size_t total_bytes, const BlockMap& map)
    : mark_words_{}, allocated_words_{}, marker_words_{}, contents_{}, total_bytes_(total_bytes), map_(map) {
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) free_.set(block);
}

void Chunk::clear_marks(std::size_t block) {
  std::atomic<std::uint64_t>* const words = mark_words_.data() + block * kMarkWordsPerBlock;
  // Relaxed, both: nobody else looks before the next marking starts, and starting it synchronises.
  for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word)
    words[word].store(0, std::memory_order_relaxed);
  marker_words_[block].store(0, std::memory_order_relaxed);
}

void Chunk::keep_marked(std::size_t block) {
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed, all: the marking is over, and nobody allocates.
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word) {
    allocated_words_[word].store(mark_words_[word].load(std::memory_order_relaxed),
                                 std::memory_order_relaxed);
  }
}

void Chunk::clear_allocated(std::size_t block) {
  std::atomic<std::uint64_t>* const words = allocated_words_.data() + block * kMarkWordsPerBlock;
  // Relaxed: see is_allocated.
  for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word)
    words[word].store(0, std::memory_order_relaxed);
}

// Without std::popcount, which is a call on processors of the oldest kind, and they are what is compiled for.
std::uint32_t Chunk::count_marks(std::size_t block) const {
  constexpr std::uint64_t kOddBits = 0x5555'5555'5555'5555;
  constexpr std::uint64_t kOddPairs = 0x3333'3333'3333'3333;
  constexpr std::uint64_t kOddNibbles = 0x0f0f'0f0f'0f0f'0f0f;
  constexpr std::uint64_t kOddBytes = 0x00ff'00ff'00ff'00ff;
  static_assert(8 * kMarkWordsPerBlock < 256, "the sums below are one to a byte");
  const std::atomic<std::uint64_t>* const words = mark_words(block);
  std::uint64_t sums = 0;
  for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word) {
    // Relaxed: the marking is over.
    std::uint64_t bits = words[word].load(std::memory_order_relaxed);
    bits -= (bits >> 1) & kOddBits;
    bits = (bits & kOddPairs) + ((bits >> 2) & kOddPairs);
    sums += (bits + (bits >> 4)) & kOddNibbles;
  }
  const std::uint64_t in_pairs = (sums & kOddBytes) + ((sums >> 8) & kOddBytes);
  return static_cast<std::uint32_t>((in_pairs * 0x0001'0001'0001'0001) >> 48);
}

std::size_t Chunk::find_free(std::size_t count) {
  while (search_from_ < kBlocksPerChunk && !free_.test(search_from_)) ++search_from_;
  std::size_t run = 0;
  for (std::size_t block = search_from_; block < kBlocksPerChunk; ++block) {
    run = free_.test(block) ? run + 1 : 0;
    if (run == count) return block + 1 - count;
  }
  return 0;
}

}  // namespace jackdaw::heap
