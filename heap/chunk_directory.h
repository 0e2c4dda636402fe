// ChunkDirectory: from any address to the chunk that it lies in, if there is one.
//
// A table of two levels over the 48-bit address space, one entry for every 16 MiB. Look-ups take two loads
// and never touch memory outside the table, whatever the address.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heap/chunk.h"

namespace jackdaw::heap {

/// Look-ups may run on any thread at any time; insert and erase one at a time.
class ChunkDirectory {
 public:
  ChunkDirectory() = default;
  ~ChunkDirectory();
  ChunkDirectory(const ChunkDirectory&) = delete;
  ChunkDirectory& operator=(const ChunkDirectory&) = delete;

  /// Enters all 16 MiB pieces of the chunk. False, with nothing changed, when there is no memory for the
  /// table.
  bool insert(Chunk* chunk);
  /// Takes the chunk out.
  void erase(const Chunk* chunk);
  /// The chunk that `address` lies in, header included, or null. O(1).
  [[nodiscard]] Chunk* find(const void* address) const {
    const std::uintptr_t piece = reinterpret_cast<std::uintptr_t>(address) / kChunkBytes;
    if (piece / kLeafEntries >= kLeaves) return nullptr;
    // Acquire: pairs with the release in leaf_for, so the leaf's entries are initialised.
    const Leaf* const leaf = leaves_[piece / kLeafEntries].load(std::memory_order_acquire);
    if (leaf == nullptr) return nullptr;
    // Acquire: pairs with the release in set, so the chunk's header is initialised.
    return (*leaf)[piece % kLeafEntries].load(std::memory_order_acquire);
  }

 private:
  static constexpr std::size_t kAddressBits = 48;
  static constexpr std::size_t kLeafEntries = std::size_t{1} << 12;
  static constexpr std::size_t kLeaves = (std::size_t{1} << kAddressBits) / kChunkBytes / kLeafEntries;
  using Leaf = std::array<std::atomic<Chunk*>, kLeafEntries>;

  Leaf* leaf_for(std::uintptr_t piece);
  void set(const Chunk* chunk, Chunk* value);

  std::array<std::atomic<Leaf*>, kLeaves> leaves_{};
};

}  // namespace jackdaw::heap
