// Displacements: the offsets in objects at which an interior pointer keeps an object alive, where not all do.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "heap/layout.h"

namespace jackdaw::heap {

/// The offsets in a granule at which an address may keep an object: a bit for each, repeated four times so
/// that one instruction tests an address.
class GranuleOffsets {
 public:
  constexpr void add(std::uintptr_t address) {
    bits_ |= std::uint64_t{0x0001'0001'0001'0001} << address % kGranuleBytes;
  }
  /// Bit i says whether offset i % kGranuleBytes is in the set.
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  /// Whether the offset of `address` in its granule is in the set.
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const {
    return (bits_ >> (address % 64) & 1) != 0;
  }

 private:
  std::uint64_t bits_ = 0;
};

/// A set of offsets from the start of an object, with offset 0 in it. Offsets are added while no thread
/// searches.
class Displacements {
 public:
  /// Offsets must be below this.
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
  /// Returns the offsets in a granule that an address of the set may have.
  [[nodiscard]] GranuleOffsets in_granule() const { return in_granule_; }
  /// Whether all offsets lie in the object's first granule, as tags of addresses do.
  [[nodiscard]] bool are_near() const { return are_near_; }

 private:
  std::bitset<kLimit> offsets_;
  GranuleOffsets in_granule_;
  bool are_near_ = true;
};

}  // namespace jackdaw::heap
