// EventBuffer: events in the order in which they happened, up to a fixed number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/page_array.h"

namespace jackdaw::mark {

/// `Event` is trivially copyable. Unused room takes no memory. One thread at a time.
template <typename Event>
class EventBuffer {
 public:
  /// Makes room for `room` events. Throws std::bad_alloc.
  explicit EventBuffer(std::size_t room)
      : events_(base::PageArray<Event>::reserve_or_throw(room)), room_(room) {}

  [[nodiscard]] std::size_t room_left() const { return room_ - count_; }
  /// Adds an event, or counts it as dropped where there is no room. Never allocates.
  void add(const Event& event) {
    if (room_left() == 0) return drop();
    events_[count_++] = event;
  }
  void drop() { ++dropped_; }

  [[nodiscard]] std::span<const Event> events() const { return {events_.data(), count_}; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  void clear() {
    count_ = 0;
    dropped_ = 0;
  }

 private:
  base::PageArray<Event> events_;
  std::size_t room_;
  std::size_t count_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace jackdaw::mark
