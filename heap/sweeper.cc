#include "heap/sweeper.h"

#include "base/check.h"

namespace jackdaw::heap {

namespace {

// Adds live objects of one block, and their bytes, to the result.
void count_live(const Chunk& chunk, std::size_t block, std::uint32_t objects, std::uint64_t bytes,
                SweepResult& result) {
  result.live_objects += objects;
  result.live_bytes += bytes;
  if (chunk.contents(block) == Contents::data) result.unscanned_bytes += bytes;
}

}  // namespace

void Sweeper::begin() {
  JACKDAW_CHECK(!is_sweeping());
  result_ = {};
  // Relaxed: see number.
  number_.store(number() + 1, std::memory_order_relaxed);
  partly_free_.clear();
  spans_.start_sweep();
  unswept_from_ = 0;
}

bool Sweeper::sweep_next_chunk() {
  if (!is_sweeping()) return true;
  if (unswept_from_ < blocks_.chunks().size()) {
    blocks_.look_again_from(unswept_from_);
    sweep_chunk(blocks_.chunks()[unswept_from_++]);
  }
  if (unswept_from_ < blocks_.chunks().size()) return false;
  unswept_from_ = kNoChunk;
  result_.released_bytes = blocks_.release_empty_chunks(Blocks::kAll);
  return true;
}

void Sweeper::sweep_chunk(Chunk* chunk) {
  for (std::size_t index = kFirstBlock; index < kBlocksPerChunk; ++index) {
    const BlockInfo& info = chunk->block(index);
    if (info.use == BlockUse::small) {
      if (info.swept != number()) sweep_small(chunk, index);
    } else if (info.is_span_head()) {
      if (info.swept != number()) sweep_span(chunk, index);
    } else if (info.use == BlockUse::large_head) {
      if (chunk->is_marked(chunk->block_start(index)) && !info.is_freed) {
        const std::uint64_t bytes =
            chunk->is_oversized() ? info.large_bytes : std::uint64_t{info.blocks} * kBlockBytes;
        count_live(*chunk, index, 1, bytes, result_);
        continue;
      }
      blocks_.release(chunk, index, info.blocks);
    }
  }
  chunk->set_swept(number());
}

void Sweeper::sweep_small(Chunk* chunk, std::size_t index) {
  JACKDAW_CHECK(static_cast<std::int32_t>(number() - chunk->block(index).swept) > 0);
  if (poison_.is_on()) poison_.sweep_block(*chunk, index);
  const std::uint32_t live = chunk->count_marks(index);
  if (live == 0) {
    blocks_.release(chunk, index, 1);
    return;
  }
  keep_marked(chunk, index, live);
  chunk->block(index).is_listed = false;
  if (live != chunk->block(index).slots()) partly_free_.add(*chunk, index);
}

void Sweeper::sweep_span(Chunk* chunk, std::size_t index) {
  BlockInfo& info = chunk->block(index);
  std::uint16_t live = 0;
  for (std::uint32_t slot = 0; slot < info.slots(); ++slot) {
    const std::byte* const start = chunk->slot_of_span(index, slot);
    if (!chunk->is_allocated(start)) continue;
    if (chunk->is_marked(start)) {
      ++live;
    } else {
      Chunk::set_free(start, start + kGranuleBytes);
    }
  }
  if (live == 0) return blocks_.release(chunk, index, info.blocks);
  info.live_slots = live;
  info.is_listed = false;
  count_live(*chunk, index, live, std::uint64_t{live} * info.slot_bytes, result_);
  if (live != info.slots()) spans_.add(*chunk, index);
}

// Keeps the `live` marked slots of a block allocated, and counts them.
void Sweeper::keep_marked(Chunk* chunk, std::size_t index, std::uint32_t live) {
  BlockInfo& info = chunk->block(index);
  chunk->keep_marked(index, are_freed_by_others(chunk->kind(index)));
  JACKDAW_CHECK(live <= info.slots());
  info.live_slots = static_cast<std::uint16_t>(live);
  count_live(*chunk, index, live, std::uint64_t{live} * info.slot_bytes, result_);
}

void Sweeper::sweep_owned(Chunk* chunk, std::size_t index) {
  keep_marked(chunk, index, chunk->count_marks(index));
  chunk->block(index).swept = number();
}

}  // namespace jackdaw::heap
