// BlockInfo: a block's entry in the table of its chunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "heap/layout.h"

namespace jackdaw::heap {

/// How a block is used.
enum class BlockUse : std::uint8_t {
  free,
  small,       ///< slots of one size class
  large_head,  ///< the first block of a large object
  large_tail,  ///< a further block of a large object
  span,        ///< part of a span: neighbouring blocks whose slots large objects of one size share
};

/// Which interior pointers keep a large object alive.
enum class LargeAddresses : std::uint8_t {
  all,
  near_start,  ///< those into its first block
};

/// One block's entry in the chunk's table.
struct BlockInfo {
  BlockUse use = BlockUse::free;
  bool was_zero = false;              ///< small: its memory was zero when it was taken
  bool is_freed = false;              ///< large_head: freed explicitly during a marking
  std::uint8_t size_class = 0;        ///< small
  std::uint16_t live_slots = 0;       ///< small: slots found marked by the last sweep; span: used
  bool is_listed = false;             ///< small, span: it is in a list of partly free ones
  std::uint8_t pages_given_back = 0;  ///< one bit each; large_head: 1 for all behind the object
  std::uint32_t slot_bytes = 0;       ///< small, span
  std::uint32_t swept = 0;            ///< small, span: the number of the last sweep that covers it
  LargeAddresses addresses = LargeAddresses::all;  ///< large_head
  std::uint8_t marking = 0;                        ///< in which it was taken, by Heap's count; 0: in none
  std::uint8_t span_block = 0;                     ///< span: the block's number in it
  std::uint8_t zero_slots = 0;                     ///< span, its first block: one bit for each zero slot
  std::uint32_t blocks = 0;                        ///< large: of the object; span: of the span
  std::uint64_t large_bytes = 0;  ///< large_head: bytes of the object; span: slot_bytes again,
                                  ///< so that markers need not tell the two apart
  std::byte* next = nullptr;      ///< small, span: the next in a list of partly free ones, or of spares

  [[nodiscard]] bool is_span_head() const { return use == BlockUse::span && span_block == 0; }
  /// Whether objects may start in the block.
  [[nodiscard]] bool has_starts() const {
    return use == BlockUse::small || use == BlockUse::large_head || use == BlockUse::span;
  }
  /// Returns the number of slots of a small block, or of the block's span.
  [[nodiscard]] std::uint32_t slots() const {
    JACKDAW_CHECK((use == BlockUse::small || use == BlockUse::span) && slot_bytes != 0);
    const std::uint32_t blocks_of_slots = use == BlockUse::span ? blocks : 1;
    return blocks_of_slots * static_cast<std::uint32_t>(kBlockBytes) / slot_bytes;
  }
  /// Returns the bytes of those slots of a small block that the last sweep found free.
  [[nodiscard]] std::uint64_t free_bytes() const {
    JACKDAW_CHECK(live_slots <= slots());
    return std::uint64_t{slots() - live_slots} * slot_bytes;
  }
};

}  // namespace jackdaw::heap
