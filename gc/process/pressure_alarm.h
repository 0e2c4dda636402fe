// PressureAlarm: when a shortage of memory is worth an answer, by the time that threads waited for memory.
#pragma once

#include <chrono>

namespace jackdaw::gc {

/// One thread at a time.
class PressureAlarm {
 public:
  using Clock = std::chrono::steady_clock;

  /// The time between two readings at least, and that between two alarms.
  static constexpr std::chrono::seconds kBetweenReadings{1};
  static constexpr std::chrono::seconds kBetweenAlarms{10};
  /// An alarm is raised where threads waited for a tenth of the time, which is what systemd's services are
  /// told of by default (200 ms in 2 s).
  static constexpr int kPart = 10;
  /// Two readings that lie further apart than this say nothing of the present.
  static constexpr std::chrono::seconds kLongest{5};

  [[nodiscard]] bool is_reading_due(Clock::time_point now) const { return now >= read_ + kBetweenReadings; }
  /// Notes that threads have waited for `stalled` in all. Returns whether that is an alarm.
  bool note(std::chrono::microseconds stalled, Clock::time_point now) {
    const Clock::duration time = now - read_;
    const std::chrono::microseconds more = stalled - stalled_;
    read_ = now;
    stalled_ = stalled;
    if (time > kLongest || more * kPart < time || now < raised_ + kBetweenAlarms) return false;
    raised_ = now;
    return true;
  }

 private:
  Clock::time_point read_{-kBetweenAlarms};
  Clock::time_point raised_ = read_;
  std::chrono::microseconds stalled_{0};
};

}  // namespace jackdaw::gc
