#include "heap/chunk.h"

namespace jackdaw::heap {

Chunk::Chunk(std::size_t total_bytes) : mark_words_{}, marker_words_{}, total_bytes_(total_bytes) {
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) free_.set(block);
}

void Chunk::clear_marks(std::size_t block) {
  std::atomic<std::uint64_t>* const words = mark_words_.data() + block * kMarkWordsPerBlock;
  // Relaxed, both: nobody else looks before the next marking starts, and starting it synchronises.
  for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word)
    words[word].store(0, std::memory_order_relaxed);
  marker_words_[block].store(0, std::memory_order_relaxed);
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
