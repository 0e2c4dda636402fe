// Displacements: how far inside an object an address may lie that keeps it, where not all addresses do.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "heap/layout.h"

namespace jackdaw::heap {

/// Which offsets in a granule an address may have that keeps an object. A bit for each, four times over, so
/// that one instruction tests an address's own.
class GranuleOffsets {
 public:
  constexpr void add(std::uintptr_t address) {
    bits_ |= std::uint64_t{0x0001'0001'0001'0001} << address % kGranuleBytes;
  }
  /// Bit i says whether offset i % kGranuleBytes is one of them.
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  /// Whether the offset of `address` is one of them.
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const {
    return (bits_ >> (address % 64) & 1) != 0;
  }

 private:
  std::uint64_t bits_ = 0;
};

/// Offsets from the start of an object, the start among them. They are added while no thread searches.
class Displacements {
 public:
  /// Offsets are below this.
  static constexpr std::size_t kLimit = kBlockBytes;

  Displacements() { add(0); }

  void add(std::size_t offset) {
    offsets_.set(offset);
    in_granule_.add(offset);
    are_near_ = are_near_ && offset < kGranuleBytes;
  }
  [[nodiscard]] bool contains(std::uintptr_t offset) const {
    return offset < kLimit && offsets_.test(offset);
  }
  /// Where in its granule an address lies that keeps an object.
  [[nodiscard]] GranuleOffsets in_granule() const { return in_granule_; }
  /// Whether all offsets lie in the object's first granule, as tags of addresses do.
  [[nodiscard]] bool are_near() const { return are_near_; }

 private:
  std::bitset<kLimit> offsets_;
  GranuleOffsets in_granule_;
  bool are_near_ = true;
};

}  // namespace jackdaw::heap
