// PermanentMemory: small pieces of memory that are never freed and are no roots.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "base/page_memory.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "heap/layout.h"

namespace jackdaw::c_interface {

/// Any thread may use it.
class PermanentMemory {
 public:
  /// `lock` is its own, one of OwnLocks.
  explicit constexpr PermanentMemory(gc::StoppableMutex& lock) : lock_(lock) {}

  /// Returns `bytes` zeroed bytes, aligned to 16, or null when there are none.
  void* allocate(std::size_t bytes) {
    const std::size_t whole = (bytes + heap::kGranuleBytes - 1) & ~(heap::kGranuleBytes - 1);
    const std::lock_guard lock(lock_);
    if (whole > rest_.size()) {
      const std::span<std::byte> more = base::PageMemory::allocate(whole < kPieceBytes ? kPieceBytes : whole);
      if (more.empty()) return nullptr;
      rest_ = more;
    }
    std::byte* const start = rest_.data();
    rest_ = rest_.subspan(whole);
    return start;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

  gc::StoppableMutex& lock_;
  std::span<std::byte> rest_;
};

}  // namespace jackdaw::c_interface
