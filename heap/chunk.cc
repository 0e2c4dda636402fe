#include "heap/chunk.h"

namespace jackdaw::heap {

Chunk::Chunk(std::size_t total_bytes) : mark_words_{}, total_bytes_(total_bytes) {
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) free_.set(block);
}

std::size_t Chunk::find_free(std::size_t count) const {
  std::size_t run = 0;
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
    run = free_.test(block) ? run + 1 : 0;
    if (run == count) return block + 1 - count;
  }
  return 0;
}

}  // namespace jackdaw::heap
