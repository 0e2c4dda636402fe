// Stands in for gc/process/concurrent/tracked_stacks.h: the program registers no stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gc/process/concurrent/write_tracking.h"
#include "gc/process/threads/thread_registry.h"

namespace jackdaw::gc {

class TrackedStacks {
 public:
  enum class Which : std::uint8_t { all, changed };

  TrackedStacks(FiberStacks, const WriteTracking&, std::span<const std::byte>) {}
  template <typename Function>
  static bool scan_some(Which, std::uintptr_t&, std::uint64_t&, Function) {
    return false;
  }
  static std::uint32_t part_count() { return 0; }
  static void note_dirty(std::uint32_t) {}
  static void disarm() {}
};

}  // namespace jackdaw::gc
