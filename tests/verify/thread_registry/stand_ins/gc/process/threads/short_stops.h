// Stands in for gc/process/threads/short_stops.h: a wait for threads that stop by themselves looks once, and
// no other wait polls, as polling is a hint.
#pragma once

#include <chrono>
#include <cstdint>

namespace jackdaw::gc {

class ShortStops {
 public:
  struct Clock {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::steady_clock::time_point;
    static time_point now() { return {}; }
  };
  explicit ShortStops(std::uint32_t) {}
  static void begin(std::uint32_t) {}
  static void note_all_stopped(Clock::time_point) {}
  static void end(Clock::time_point) {}
  [[nodiscard]] static std::chrono::nanoseconds self_stopping_time() { return std::chrono::nanoseconds(1); }
  static void note_self_stopping(bool) {}
  [[nodiscard]] static std::chrono::nanoseconds stopping_time() { return {}; }
  [[nodiscard]] static std::chrono::nanoseconds answering_time() { return {}; }
  [[nodiscard]] static std::chrono::nanoseconds stopped_polling_time() { return {}; }
};

}  // namespace jackdaw::gc
