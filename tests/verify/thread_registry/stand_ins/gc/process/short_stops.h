// Stands in for gc/process/short_stops.h: nobody polls, as that is a hint.
#pragma once

#include <chrono>
#include <cstdint>

namespace jackdaw::gc {

class ShortStops {
 public:
  struct Clock {
    using time_point = std::chrono::steady_clock::time_point;
    static time_point now() { return {}; }
  };
  explicit ShortStops(std::uint32_t) {}
  static void begin(std::uint32_t) {}
  static void note_standing(Clock::time_point) {}
  static void end(Clock::time_point) {}
  [[nodiscard]] static std::chrono::nanoseconds stopping_time() { return {}; }
  [[nodiscard]] static std::chrono::nanoseconds answering_time() { return {}; }
  [[nodiscard]] static std::chrono::nanoseconds standing_time() { return {}; }
};

}  // namespace jackdaw::gc
