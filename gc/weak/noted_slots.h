// NotedSlots: slots in objects that mark threads note for the collecting thread to process after the marking.
//
// Each mark thread writes to a segment of its own, so that only a new segment needs the lock. Segments lie in
// pages from the system, and are kept from one collection to the next.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace jackdaw::gc {

/// Mark threads fill it in rounds; the collecting thread empties it between rounds, while no thread marks.
class NotedSlots {
 public:
  /// A thread has one segment of each kind.
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

  /// Removes and returns any slot, or null when there is none. Amortised O(1).
  void* take();
  /// Removes all slots. Linear in their number.
  void forget() {
    while (take() != nullptr) continue;
  }

 private:
  struct Segment {
    static constexpr std::size_t kCapacity = 4094;  // so that a segment takes whole pages

    Segment* next = nullptr;
    std::size_t count = 0;
    std::array<void*, kCapacity> slots;
  };
  // Where a thread writes while the epoch is unchanged.
  struct Cursor {
    std::uint64_t epoch = 0;
    Segment* segment = nullptr;
  };
  static constexpr std::size_t kKinds = 2;

  bool begin_segment(Cursor& cursor);
  static Segment* pop(Segment*& list);
  static void push(Segment*& list, Segment* segment);
  static void unmap(Segment* list);
  // Relaxed: the number is unique among tables and times, and publishes nothing.
  static std::uint64_t new_epoch() { return last_epoch_.fetch_add(1, std::memory_order_relaxed) + 1; }

  static constinit thread_local std::array<Cursor, kKinds> cursors_;
  static std::atomic<std::uint64_t> last_epoch_;

  const std::size_t kind_;
  std::uint64_t epoch_ = new_epoch();  // changes between rounds
  std::mutex mutex_;                   // guards the lists among mark threads
  Segment* filled_ = nullptr;
  Segment* free_ = nullptr;
  Segment* emptied_ = nullptr;  // the segment that the collecting thread takes from
};

}  // namespace jackdaw::gc
