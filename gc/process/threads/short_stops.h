// ShortStops: how long threads poll before they sleep when a collection stops the program.
//
// Putting a thread to sleep and waking it takes longer than the collection of a small heap: some 50
// microseconds each time in a virtual machine. Where every thread has a processor, the stopping thread polls
// first, and stopped threads poll for twice the length of the last stops, if these were short. Allocating
// threads stop by themselves sooner than a signal would reach them, so signals are delayed a little.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace jackdaw::gc {

/// A registry of threads has one. The thread that stops the others calls all functions except
/// stopped_polling_time() and stopping_time().
class ShortStops {
 public:
  using Clock = std::chrono::steady_clock;

  /// At most `processors` threads can run at once.
  explicit ShortStops(std::uint32_t processors) : processors_(processors) {}

  /// Notes that a stop of `others` threads begins.
  void begin(std::uint32_t others) {
    have_processors_ = others < processors_;
    const bool is_short = have_processors_ && expected_ <= kLongest;
    // Relaxed, here and in stopped_polling_time: a length of time that orders nothing.
    stopped_polling_time_.store(is_short ? kTimesLonger * expected_ : Clock::duration::zero(),
                                std::memory_order_relaxed);
  }
  /// Notes that all threads have stopped.
  void note_all_stopped(Clock::time_point now) { stopped_since_ = now; }
  /// Notes that the stop ends and its threads may resume.
  void end(Clock::time_point now) { expected_ = (expected_ + (now - stopped_since_)) / 2; }

  /// Returns how long to poll for the end of a stop that was just requested. Any thread.
  [[nodiscard]] Clock::duration stopping_time() const {
    const Clock::duration stopped = stopped_polling_time();
    return stopped == stopped.zero() ? stopped : kAnswering + stopped;
  }
  /// Returns how long to poll for threads that stop by themselves, before they are signalled. If they did
  /// not, as they compute without allocating, a growing number of stops is not delayed.
  [[nodiscard]] Clock::duration self_stopping_time() {
    if (!have_processors_) return Clock::duration::zero();
    if (signalled_at_once_ == 0) return kSelfStopping;
    --signalled_at_once_;
    return Clock::duration::zero();
  }
  /// Notes whether all threads stopped by themselves within self_stopping_time().
  void note_self_stopping(bool did_all) {
    failures_ = did_all ? 0 : std::min(2 * failures_ + 1, kMostSignalledAtOnce);
    signalled_at_once_ = failures_;
  }
  /// Returns how long to poll for the answers of threads that were asked to stop.
  [[nodiscard]] Clock::duration answering_time() const {
    return have_processors_ ? kAnswering : Clock::duration::zero();
  }
  /// Returns how long a stopped thread polls for the end of the stop. Any thread.
  [[nodiscard]] Clock::duration stopped_polling_time() const {
    return stopped_polling_time_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr Clock::duration kLongest = std::chrono::microseconds(100);
  static constexpr Clock::duration kAnswering = std::chrono::microseconds(50);
  // This is about what a signal takes to be answered, or less: 30 to 70 microseconds.
  static constexpr Clock::duration kSelfStopping = std::chrono::microseconds(30);
  static constexpr int kTimesLonger = 2;
  static constexpr std::uint32_t kMostSignalledAtOnce = 63;

  const std::uint32_t processors_;
  bool have_processors_ = false;
  std::uint32_t failures_ = 0;           // of threads to stop by themselves: 0, 1, 3, 7 and so on
  std::uint32_t signalled_at_once_ = 0;  // further stops that are not delayed
  Clock::duration expected_{0};          // length of a stop after all threads have stopped
  Clock::time_point stopped_since_;
  std::atomic<Clock::duration> stopped_polling_time_{Clock::duration::zero()};
};

}  // namespace jackdaw::gc
