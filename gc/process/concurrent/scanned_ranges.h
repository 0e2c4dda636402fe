// ScannedRanges: the ranges of a heap that may hold references, for queries about its pages.
//
// The heap's addresses are divided into parts of a chunk's length. A part is read from the map of blocks
// alone, without a lock: eight bytes for each block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/address_range.h"
#include "heap/block_map.h"
#include "heap/chunk.h"
#include "heap/layout.h"

namespace jackdaw::gc {

/// Any thread may call it; changes made meanwhile are seen by the next call.
class ScannedRanges {
 public:
  static constexpr std::size_t kPartBytes = heap::kChunkBytes;

  explicit ScannedRanges(const heap::BlockMap& map) : map_(map) {}

  /// Returns the number of parts, numbered from 0, up to the last that ever held objects.
  [[nodiscard]] std::uint32_t part_count() const {
    return static_cast<std::uint32_t>((map_.used_end() - map_.begin() + kPartBytes - 1) / kPartBytes);
  }
  /// Calls `function(AddressRange)` for each range of a part, in order. Ranges cover all blocks of objects
  /// that may hold references and few others, and lie in the heap's memory. O(blocks).
  template <typename Function>
  void for_each_of(std::uint32_t part, Function function) const {
    for_each_between(addresses_of(part), kMostBetween, may_hold_references, function);
  }
  /// Calls `function` as for_each_of() does, with as few ranges as possible, which cover other blocks, too.
  // Measured on Linux 6.18: a query costs as much as the pages of 3 MiB.
  template <typename Function>
  void for_each_coarse_of(std::uint32_t part, Function function) const {
    for_each_between(addresses_of(part), kMostCoarselyBetween, may_hold_references, function);
  }
  /// Calls `function(AddressRange)` for each run of blocks that may hold references, cut to `pages`, which
  /// lie in one range, in order. O(blocks).
  template <typename Function>
  void for_each_scanned_in(base::AddressRange pages, Function function) const {
    const std::uintptr_t first = pages.begin & ~(heap::kBlockBytes - 1);
    for_each_between({first, pages.end}, 0, may_hold_references, [&](base::AddressRange blocks) {
      function(base::AddressRange{std::max(blocks.begin, pages.begin), std::min(blocks.end, pages.end)});
    });
  }
  /// Calls `function` as for_each_of() does, for all parts.
  // There are to be few ranges, since each change of tracked pages interrupts the processors that run the
  // program's threads.
  template <typename Function>
  void for_each(Function function) const {
    for (std::uint32_t part = 0; part < part_count(); ++part) for_each_of(part, function);
  }
  /// Calls `function(AddressRange)` for few ranges that cover all blocks but those of data: also free
  /// ones, which may have held references a moment ago, and memory that no chunk has.
  template <typename Function>
  void for_each_not_data(Function function) const {
    const auto is_not_data = [](heap::BlockShape shape) {
      return !shape.holds_objects() || shape.may_hold_references();
    };
    for (std::uint32_t part = 0; part < part_count(); ++part)
      for_each_between(addresses_of(part), kMostCoarselyBetween, is_not_data, function);
  }
  /// Returns the memory of the chunk that a range lies in.
  [[nodiscard]] base::AddressRange chunk_of(base::AddressRange range) const {
    // A range of an oversized chunk may lie behind its first 16 MiB, but the object starts in them.
    const std::uintptr_t start = map_.start_of_object_at(range.begin);
    const auto* const chunk =
        heap::Chunk::of(reinterpret_cast<const void*>(start));  // NOLINT(performance-no-int-to-ptr)
    const auto begin = reinterpret_cast<std::uintptr_t>(chunk);
    return {begin, begin + chunk->total_bytes()};
  }

 private:
  static constexpr bool may_hold_references(heap::BlockShape shape) { return shape.may_hold_references(); }
  [[nodiscard]] base::AddressRange addresses_of(std::uint32_t part) const {
    const std::uintptr_t begin = map_.begin() + part * kPartBytes;
    return {begin, begin + kPartBytes};
  }

  // Ranges with at most `most_between` bytes between them are joined: they lie in one chunk.
  template <typename IsWanted, typename Function>
  void for_each_between(base::AddressRange addresses, std::uintptr_t most_between, IsWanted is_wanted,
                        Function function) const {
    base::AddressRange range;
    for (std::uintptr_t block = addresses.begin; block < addresses.end; block += heap::kBlockBytes) {
      if (!is_wanted(map_.shape_at(block))) continue;
      if (range.empty() || block - range.end > most_between) {
        if (!range.empty()) function(range);
        range.begin = block;
      }
      range.end = block + heap::kBlockBytes;
    }
    if (!range.empty()) function(range);
  }

  // Pages armed between ranges fault when a new object comes there: 1.2 us for each (Linux 6.18 in a
  // virtual machine). One more range costs about as much as four such faults.
  static constexpr std::uintptr_t kMostBetween = heap::kBlockBytes;
  static constexpr std::uintptr_t kMostCoarselyBetween = std::uintptr_t{2} << 20;

  const heap::BlockMap& map_;
};

}  // namespace jackdaw::gc
