#include "heap/blocks.h"

#include <algorithm>

#include "base/check.h"

namespace jackdaw::heap {

bool Blocks::make_room_for(std::size_t untouched_blocks, const Budget& budget) {
  if (!may_grow_by(untouched_blocks, budget)) return false;
  const auto has_room = [&] {
    const std::uint64_t has_memory = bytes_with_memory();
    return has_memory <= limit_bytes_ && untouched_blocks <= (limit_bytes_ - has_memory) / kBlockBytes;
  };
  if (has_room()) return true;
  give_back_free_blocks();
  return has_room();
}

bool Blocks::take(Chunk* chunk, std::size_t index, const BlockInfo& info, KindNumber kind) {
  if (chunk->is_given_back(index)) usage_.given_back.subtract(kBlockBytes);
  const bool is_zero = chunk->take_block(index, info, kind);
  if (!is_zero) usage_.free.subtract(kBlockBytes);
  usage_.used.add(kBlockBytes);
  return poison_.is_on() && !chunk->is_oversized() ? poison_.take_block(*chunk, index, is_zero) : is_zero;
}

void Blocks::release(Chunk* chunk, std::size_t first, std::size_t count) {
  JACKDAW_CHECK(count != 0);
  for (std::size_t block = first; block < first + count; ++block) {
    map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(block)), {});
    if (poison_.is_on() && !chunk->is_oversized()) poison_.release_block(*chunk, block);
    if (block < kBlocksPerChunk) chunk->release_block(block);
  }
  usage_.used.subtract(count * kBlockBytes);
  if (!chunk->is_oversized()) usage_.free.add(count * kBlockBytes);
}

Chunk* Blocks::find(std::size_t count, std::size_t& first, Blacklisted blacklisted, std::uint32_t node) {
  for (std::size_t i = search_from_; i < chunks_.size(); ++i) {
    Chunk* const chunk = chunks_[i];
    const std::size_t available = chunk->is_oversized() ? 0 : chunk->free_blocks();
    if (available == 0 && i == search_from_) {
      ++search_from_;
    } else if (available >= count && (node == kAnyNode || node == chunk->node())) {
      first = chunk->find_free(count, blacklisted);
      if (first != 0) return chunk;
    }
  }
  return nullptr;
}

Chunk* Blocks::find_taken_before(BlockSearch::Taker taker, std::size_t end, std::size_t& index) {
  const std::uint32_t near = nodes().near_this_thread();
  BlockSearch::Place& place = block_search_.place_of(taker);
  for (; place.chunk < end; place = {.chunk = place.chunk + 1}) {
    Chunk* const chunk = chunks_[place.chunk];
    if (chunk->is_oversized() || chunk->free_blocks() == 0 || chunk->node() != near) continue;
    index = chunk->find_free_of(taker, place.block);
    if (index == 0) continue;
    place.block = index + 1;
    return chunk;
  }
  return nullptr;
}

Chunk* Blocks::add_chunk(std::size_t total_bytes, std::uint32_t node, std::uint32_t swept) {
  if (!chunks_.reserve(chunks_.size() + 1)) return nullptr;
  Chunk* const chunk = space_.allocate(total_bytes, node);
  taken_memory_.note(
      {reinterpret_cast<std::byte*>(chunk), chunk != nullptr ? chunk->total_bytes() : total_bytes});
  if (chunk == nullptr) return nullptr;
  chunks_.append_reserved(chunk);
  chunk->set_swept(swept);
  chunk_bytes_.store(chunk_bytes() + chunk->total_bytes(), std::memory_order_relaxed);
  usage_.taken.add(chunk->total_bytes());
  return chunk;
}

bool Blocks::extend_chunk(Chunk* chunk, std::size_t total_bytes) {
  if (total_bytes <= chunk->total_bytes()) return true;
  const std::uint64_t before = chunk->total_bytes();
  if (!space_.extend(chunk, total_bytes)) return false;
  const std::uint64_t extra = chunk->total_bytes() - before;
  chunk_bytes_.store(chunk_bytes() + extra, std::memory_order_relaxed);
  usage_.taken.add(extra);
  taken_memory_.note({reinterpret_cast<std::byte*>(chunk) + before, extra});
  return true;
}

std::size_t Blocks::remove_chunk(Chunk* chunk) {
  const std::span<Chunk* const> chunks = chunks_.span();
  const auto index = static_cast<std::size_t>(std::ranges::find(chunks, chunk) - chunks.begin());
  JACKDAW_CHECK(index < chunks.size());
  chunks_.remove_if([chunk](const Chunk* other) { return other == chunk; });
  block_search_.look_again_from(0);
  release_chunk(chunk);
  return index;
}

std::uint64_t Blocks::release_empty_chunks(std::uint64_t keep_bytes) {
  std::uint64_t released = 0;
  std::uint64_t left = block_bytes();
  const auto unneeded = [&](Chunk* chunk) {
    if (!chunk->is_empty()) return false;
    const std::uint64_t bytes = chunk->usable_blocks() * kBlockBytes;
    if (!chunk->is_oversized() && left - bytes < keep_bytes) return false;
    left -= bytes;
    released += chunk->total_bytes();
    release_chunk(chunk);
    return true;
  };
  chunks_.remove_if(unneeded);
  look_again_from(0);
  return released;
}

void Blocks::release_chunk(Chunk* chunk) {
  JACKDAW_CHECK(chunk->is_empty() && chunk->total_bytes() <= chunk_bytes());
  chunk_bytes_.store(chunk_bytes() - chunk->total_bytes(), std::memory_order_relaxed);
  if (!chunk->is_oversized()) usage_.free.subtract(chunk->written_free_blocks() * kBlockBytes);
  usage_.given_back.subtract(chunk->blocks_given_back() * kBlockBytes);
  space_.release(chunk);
}

void Blocks::give_back_free_blocks() {
  for (Chunk* const chunk : chunks_.span()) count_given_back(chunk->release_free_memory());
}

std::uint64_t Blocks::count_given_back(std::size_t blocks) {
  usage_.free.subtract(blocks * kBlockBytes);
  usage_.given_back.add(blocks * kBlockBytes);
  return blocks * kBlockBytes;
}

std::uint64_t Blocks::give_back_some(std::uint64_t keep_bytes) {
  if (bytes_with_memory() < keep_bytes + HugePages::kBytes) return 0;
  for (const bool is_empty : {true, false}) {
    for (std::size_t i = chunks_.size(); i-- != 0;) {
      Chunk* const chunk = chunks_[i];
      if (chunk->is_oversized() || chunk->is_empty() != is_empty || chunk->written_free_blocks() == 0)
        continue;
      if (const std::size_t blocks = chunk->release_last_free_memory(); blocks != 0)
        return count_given_back(blocks);
    }
  }
  return 0;
}

std::uint64_t Blocks::release_spent_chunk(std::uint64_t keep_bytes) {
  const std::uint64_t all = block_bytes();
  // A long page may hold the header's end and some blocks: they have memory as long as the header has.
  const auto is_spent = [&](const Chunk* chunk) {
    return chunk->is_empty() && !chunk->is_oversized() &&
           chunk->written_free_blocks() < Chunk::blocks_of_page() &&
           all - chunk->usable_blocks() * kBlockBytes >= keep_bytes;
  };
  const auto chunks = chunks_.span();
  const auto found = std::ranges::find_if(chunks, is_spent);
  if (found == chunks.end()) return 0;
  remove_chunk(*found);
  return kHeaderBytes;
}

}  // namespace jackdaw::heap
