// SpanSizes: the sizes of large objects that share blocks.
//
// An object of a few blocks would waste half a block on average if blocks were its own. So the sizes up to
// almost four blocks that are no whole number of them are rounded up to quarters of a block, and objects of
// one size lie in a span: neighbouring blocks that their slots fill exactly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/layout.h"
#include "heap/size_classes.h"

namespace jackdaw::heap {

inline constexpr std::uint32_t kQuartersPerBlock = 4;
inline constexpr std::size_t kQuarterBytes = kBlockBytes / kQuartersPerBlock;

class SpanSizes {
 public:
  /// The largest slots have this many quarters of a block. No size takes more blocks for a span.
  static constexpr std::uint32_t kMostQuarters = 4 * kQuartersPerBlock - 1;
  static constexpr std::uint32_t kMostSlots = kQuartersPerBlock;

  /// Returns the quarters of a block that `bytes` bytes take.
  static constexpr std::size_t quarters_of(std::size_t bytes) {
    return (bytes + kQuarterBytes - 1) / kQuarterBytes;
  }
  /// Whether slots of a span take less memory than blocks for large objects of `bytes` bytes.
  static constexpr bool suit(std::size_t bytes) {
    return bytes > kLargestSmallBytes && quarters_of(bytes) <= kMostQuarters &&
           quarters_of(bytes) % kQuartersPerBlock != 0;
  }
  /// Returns the slots of a span, and the blocks of one, for slots of `quarters` quarters.
  static constexpr std::uint32_t slots(std::uint32_t quarters) {
    return quarters % 2 != 0 ? kMostSlots : kMostSlots / 2;
  }
  static constexpr std::uint32_t blocks(std::uint32_t quarters) {
    return quarters * slots(quarters) / kQuartersPerBlock;
  }

 private:
  // A block has parts of two slots at most.
  static_assert(kLargestSmallBytes >= kBlockBytes / 2);
};

}  // namespace jackdaw::heap
