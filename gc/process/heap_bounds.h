// HeapBounds: how large a heap may become with the memory that is left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "heap/layout.h"
#include "machine/memory_limits.h"

namespace jackdaw::gc {

/// Sizes of a heap, in bytes. One that has `heap_bytes` bytes may grow by what is left of each limit, but for
/// a reserve, since the rest of the program and other processes take memory, too.
class HeapBounds {
 public:
  constexpr HeapBounds(std::uint64_t heap_bytes, machine::Left left) : heap_bytes_(heap_bytes), left_(left) {}

  /// Takes a limit into account. No heap becomes larger than that, even one that is not written to yet.
  constexpr void add(const machine::MemoryRoom& room) {
    const std::uint64_t most = room.left < kUnlimited - heap_bytes_ ? heap_bytes_ + room.left : kUnlimited;
    const std::uint64_t within = std::min(room.limit, most);
    limit_ = std::min(limit_, within - std::min(within, reserve(room.limit)));
  }

  /// Returns the size that the heap may have.
  [[nodiscard]] constexpr std::uint64_t limit() const { return limit_; }
  /// Returns the size at which what is left is to be read again: the heap has then grown by an eighth of what
  /// it may, and by `bytes`. Where that is the limit or more, there is no such size.
  [[nodiscard]] constexpr std::uint64_t watch(std::uint64_t bytes) const {
    const std::uint64_t step = std::max<std::uint64_t>({growth() / kParts, bytes, heap::kShortestChunkBytes});
    return step < growth() ? heap_bytes_ + step : kUnlimited;
  }
  /// Whether the heap is so near its limit that what others take matters after each collection.
  [[nodiscard]] constexpr bool is_near() const { return growth() < heap_bytes_; }
  /// Whether the heap has more memory than it may have.
  [[nodiscard]] constexpr bool is_passed() const { return heap_bytes_ > limit_; }

 private:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kParts = 8;
  static constexpr std::uint64_t kReservedPart = 16;
  static constexpr std::uint64_t kMostReserved = std::uint64_t{256} << 20;

  // Half of it is given up at last.
  [[nodiscard]] constexpr std::uint64_t reserve(std::uint64_t limit) const {
    const std::uint64_t all = std::min(limit / kReservedPart, kMostReserved);
    return left_ == machine::Left::at_ease ? all : all / 2;
  }
  [[nodiscard]] constexpr std::uint64_t growth() const { return limit_ - std::min(limit_, heap_bytes_); }

  std::uint64_t heap_bytes_;
  machine::Left left_;
  std::uint64_t limit_ = kUnlimited;
};

}  // namespace jackdaw::gc
