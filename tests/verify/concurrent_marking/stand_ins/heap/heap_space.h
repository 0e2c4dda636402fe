// Stands in for heap/heap_space.h: one chunk, shorter than others, of the model checker's memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "heap/block_map.h"
#include "heap/chunk.h"
#include "heap/huge_pages.h"
#include "heap/memory_nodes.h"

namespace jackdaw::heap {

class HeapSpace {
 public:
  HeapSpace(std::size_t, const KindTable& kinds, const MemoryNodes& nodes)
      : memory_(new (std::align_val_t{kChunkBytes}) std::byte[kChunkBytes]),
        map_(reinterpret_cast<std::uintptr_t>(memory_), entries_, blacklist_.data()),
        kinds_(kinds),
        nodes_(nodes) {
    for (std::uint8_t& noted : blacklist_) noted = 0;
  }

  static std::size_t default_bytes() { return kChunkBytes; }

  // Writes all of it that is zero in fresh memory, each field as a chunk reads it.
  Chunk* allocate(std::size_t, std::uint32_t) {
    if (is_taken_) return nullptr;
    is_taken_ = true;
    auto* const chunk = new (memory_) Chunk(kBytes, 0, map_, kinds_, nullptr);
    for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
      static_assert(kMarkWordsPerBlock == 1);
      new (chunk->marks_.words(block)) std::atomic<std::uint64_t>{0};
      new (chunk->allocated_.words(block)) std::atomic<std::uint64_t>{0};
      new (&chunk->marker_words_[block]) std::atomic<std::uint32_t>{0};
      chunk->kinds_[block] = 0;
      chunk->takers_[block] = 0;
      new (&chunk->blocks_[block]) BlockInfo;
    }
    std::byte* const end = memory_ + kBytes;
    for (std::byte* word = chunk->block_start(kFirstBlock); word < end; word += kWordBytes)
      new (word) std::uintptr_t{0};
    return chunk;
  }
  static bool extend(Chunk*, std::size_t) { return false; }
  static void release(Chunk*) {}

  HugePages& huge_pages() { return huge_pages_; }
  [[nodiscard]] const MemoryNodes& nodes() const { return nodes_; }
  [[nodiscard]] std::span<const std::byte> addresses() const { return {memory_, kChunkBytes}; }
  [[nodiscard]] BlockMap& map() { return map_; }
  [[nodiscard]] const BlockMap& map() const { return map_; }

 private:
  static constexpr std::size_t kBytes = (kFirstBlock + 3) * kBlockBytes;

  std::byte* const memory_;
  std::array<std::uint64_t, kBlocksPerChunk> entries_{};
  std::array<std::uint8_t, kBlocksPerChunk> blacklist_;
  BlockMap map_;
  const KindTable& kinds_;
  const MemoryNodes nodes_;
  HugePages huge_pages_;
  bool is_taken_ = false;
};

}  // namespace jackdaw::heap
