// SizeClasses: the sizes that small objects are rounded up to, and where in a block they start.
//
// They are the multiples of 16 up to 128 bytes, then four sizes to each doubling, so that rounding up wastes
// at most a fifth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "heap/layout.h"

namespace jackdaw::heap {

/// Objects above this size are large: they get blocks of their own or share spans.
inline constexpr std::size_t kLargestSmallBytes = 8192;

/// Whether an object that is resized to `bytes` bytes keeps its slot of `slot_bytes`: it needs half of it.
constexpr bool suits_slot(std::size_t bytes, std::size_t slot_bytes) {
  return bytes <= slot_bytes && bytes >= slot_bytes / 2;
}

/// Where in a block the slots of a size class start: a bit for each granule.
struct SlotStarts {
  std::array<std::uint64_t, kGranulesPerBlock / 64> words{};
  std::uint32_t end = 0;  ///< the granule behind the last slot
};

class SizeClasses {
 public:
  static constexpr std::size_t kCount = 8 + 4 * 6;

  /// Returns the class of objects of `bytes` bytes, at most kLargestSmallBytes. O(1).
  static std::uint8_t class_of(std::size_t bytes) {
    JACKDAW_CHECK(bytes <= kLargestSmallBytes);
    return kClassOf[(bytes + kGranuleBytes - 1) / kGranuleBytes];
  }
  /// Returns the bytes of a slot of a class. O(1).
  static std::uint32_t slot_bytes(std::uint8_t size_class) {
    JACKDAW_CHECK(size_class < kCount);
    return kSlotBytes[size_class];
  }
  /// Returns where the slots of a class start. O(1).
  static const SlotStarts& slot_starts(std::uint8_t size_class) {
    JACKDAW_CHECK(size_class < kCount);
    return kSlotStarts[size_class];
  }

 private:
  using SlotTable = std::array<std::uint32_t, kCount>;
  using ClassTable = std::array<std::uint8_t, kLargestSmallBytes / kGranuleBytes + 1>;

  static constexpr SlotTable kSlotBytes = [] {
    SlotTable sizes{};
    std::size_t count = 0;
    for (std::uint32_t bytes = 16; bytes <= 128; bytes += 16) sizes[count++] = bytes;
    for (std::uint32_t base = 128; base < kLargestSmallBytes; base *= 2) {
      for (std::uint32_t quarter = 1; quarter <= 4; ++quarter) sizes[count++] = base + base / 4 * quarter;
    }
    return sizes;
  }();

  static constexpr ClassTable kClassOf = [] {
    ClassTable classes{};
    std::uint8_t size_class = 0;
    for (std::size_t granules = 1; granules < classes.size(); ++granules) {
      if (granules * kGranuleBytes > kSlotBytes[size_class]) ++size_class;
      classes[granules] = size_class;
    }
    return classes;
  }();

  static constexpr std::array<SlotStarts, kCount> kSlotStarts = [] {
    std::array<SlotStarts, kCount> starts{};
    for (std::size_t size_class = 0; size_class < kCount; ++size_class) {
      const auto granules = kSlotBytes[size_class] / static_cast<std::uint32_t>(kGranuleBytes);
      SlotStarts& of_class = starts[size_class];
      for (; of_class.end + granules <= kGranulesPerBlock; of_class.end += granules)
        of_class.words[of_class.end / 64] |= std::uint64_t{1} << (of_class.end % 64);
    }
    return starts;
  }();

  static_assert(kSlotBytes[kCount - 1] == kLargestSmallBytes);
};

}  // namespace jackdaw::heap
