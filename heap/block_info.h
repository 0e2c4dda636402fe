// BlockInfo: what a chunk's table says of one block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "heap/layout.h"

namespace jackdaw::heap {

/// The use of a block.
enum class BlockUse : std::uint8_t {
  free,
  small,       ///< slots of one size class
  large_head,  ///< a large object starts here
  large_tail,  ///< a large object goes on here
};

/// Which addresses inside a large object keep it.
enum class LargeAddresses : std::uint8_t {
  all,
  near_start,  ///< those in its first block
};

/// One block's entry in the chunk's table.
struct BlockInfo {
  BlockUse use = BlockUse::free;
  bool was_zero = false;                           ///< small: it was not yet written to when it was taken
  bool is_freed = false;                           ///< large_head: explicitly, while objects were marked
  std::uint8_t size_class = 0;                     ///< small
  std::uint16_t live_slots = 0;                    ///< small: slots found marked by the last sweep
  std::uint32_t slot_bytes = 0;                    ///< small
  std::uint32_t swept = 0;                         ///< small: the number of the last sweep that covers it
  LargeAddresses addresses = LargeAddresses::all;  ///< large_head
  std::uint32_t blocks = 0;                        ///< large: how many blocks the object takes
  std::uint64_t large_bytes = 0;                   ///< large_head: bytes of the object
  std::byte* next = nullptr;  ///< small: the next in the heap's list of partly free blocks, or of spares

  /// Slots of a small block.
  [[nodiscard]] std::uint32_t slots() const {
    JACKDAW_CHECK(use == BlockUse::small && slot_bytes != 0);
    return static_cast<std::uint32_t>(kBlockBytes) / slot_bytes;
  }
  /// Bytes of a small block's slots that the last sweep found free.
  [[nodiscard]] std::uint64_t free_bytes() const {
    JACKDAW_CHECK(live_slots <= slots());
    return std::uint64_t{slots() - live_slots} * slot_bytes;
  }
};

}  // namespace jackdaw::heap
