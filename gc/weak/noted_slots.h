// NotedSlots: places in objects that mark threads note for the collecting thread to look at when they are
// done.
//
// Each mark thread writes to a segment of its own, so noting takes no lock but for a new segment. The
// segments lie in pages from the system, and are kept from one collection to the next.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace jackdaw::gc {

/// Filled by any number of mark threads, in rounds; emptied by the collecting thread between rounds, while no
/// thread marks.
class NotedSlots {
 public:
  /// A thread writes to one segment of each kind.
  enum class Kind : std::uint8_t { weak_members, ephemerons };

  explicit NotedSlots(Kind kind) : kind_(static_cast<std::size_t>(kind)) {}
  ~NotedSlots();
  NotedSlots(const NotedSlots&) = delete;
  NotedSlots& operator=(const NotedSlots&) = delete;

  /// Notes a slot. False when there is no memory. Amortised O(1).
  [[nodiscard]] bool note(void* slot) {
    Cursor& cursor = cursors_[kind_];
    if (cursor.epoch != epoch_ || cursor.segment->count == Segment::kCapacity) [[unlikely]] {
      if (!begin_segment(cursor)) return false;
    }
    Segment& segment = *cursor.segment;
    segment.slots[segment.count++] = slot;
    return true;
  }

  /// Removes some slot and returns it; null when there is none. Amortised O(1).
  void* take();

 private:
  struct Segment {
    static constexpr std::size_t kCapacity = 4094;  // so that a segment takes whole pages

    Segment* next = nullptr;
    std::size_t count = 0;
    std::array<void*, kCapacity> slots;
  };
  // Where a thread writes, as long as the epoch is still the same.
  struct Cursor {
    std::uint64_t epoch = 0;
    Segment* segment = nullptr;
  };
  static constexpr std::size_t kKinds = 2;

  bool begin_segment(Cursor& cursor);
  static Segment* pop(Segment*& list);
  static void push(Segment*& list, Segment* segment);
  static void unmap(Segment* list);
  // Relaxed: a number that no other table and no other time has; it publishes nothing.
  static std::uint64_t new_epoch() { return last_epoch_.fetch_add(1, std::memory_order_relaxed) + 1; }

  static constinit thread_local std::array<Cursor, kKinds> cursors_;
  static std::atomic<std::uint64_t> last_epoch_;

  const std::size_t kind_;
  std::uint64_t epoch_ = new_epoch();  // changes between rounds
  std::mutex mutex_;                   // among mark threads: guards the lists
  Segment* filled_ = nullptr;
  Segment* free_ = nullptr;
  Segment* emptied_ = nullptr;  // the collecting thread's: was filled, and is taken from
};

}  // namespace jackdaw::gc
