// ConcurrentPacing: whether a collection is a concurrent cycle, when it begins, and how much is allocated in
// it.
//
// A small heap is better marked while the program is stopped: a cycle takes more processor time, and keeps
// objects that die during it.
//
// After G1's adaptive threshold (OpenJDK, G1IHOPControl), a cycle begins early enough that allocation during
// its marking should fit into the budget, by the figures of earlier cycles. If that was too late, the budget
// grows with time, so that mutators are slowed down but none waits for long.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace jackdaw::gc {

/// Each collector has one. One thread at a time. Bytes are those of Heap::allocated_bytes.
class ConcurrentPacing {
  using Clock = std::chrono::steady_clock;

 public:
  /// Notes a collection that stopped the program for `pause` and found `live_bytes`. (One alone may have
  /// waited for a processor.)
  void note_stopped(Clock::duration pause, std::uint64_t live_bytes) {
    const Milliseconds measured = pause / std::max(static_cast<double>(live_bytes), kLeastBytes);
    before_ = std::exchange(latest_, measured);
    measured_ = time_of_byte_ = std::max(std::min(measured, kMostTimesSlower * measured_), kFastest);
    stops_to_make_ -= std::min(stops_to_make_, 1U);
  }
  /// Notes a collection that found `live_bytes`, where `before` were live and `allocated` were allocated
  /// since.
  void note_live(std::uint64_t before, std::uint64_t allocated, std::uint64_t live_bytes) {
    const std::uint64_t more = live_bytes - std::min(live_bytes, before);
    surviving_part_ = static_cast<double>(std::min(more, allocated)) /
                      std::max(static_cast<double>(allocated), kLeastBytes);
  }
  /// Notes, as note_live() does, what the last cycle's sweep found.
  void note_swept(std::uint64_t before, std::uint64_t live_bytes) {
    note_live(before, allocated_, live_bytes);
  }
  /// Whether a collection would stop the program for longer than `target`, by the present estimate.
  [[nodiscard]] bool takes_longer(std::chrono::milliseconds target, std::uint64_t live_bytes,
                                  std::uint64_t allocated) const {
    return time_of_byte_ * expected_live(live_bytes, allocated) >= target;
  }
  /// The stricter test for a program that did not ask for cycles: the last two stop-the-world collections
  /// agree, and no cycle failed lately.
  [[nodiscard]] bool surely_takes_longer(std::chrono::milliseconds target, std::uint64_t live_bytes,
                                         std::uint64_t allocated) const {
    return stops_to_make_ == 0 &&
           std::min({time_of_byte_, latest_, before_}) * expected_live(live_bytes, allocated) >= target;
  }

  /// Notes when a collection began and ended, and how much was allocated since the one before.
  void note_allocated(Clock::time_point begin, Clock::time_point end, std::uint64_t allocated) {
    rate_ = rate(begin, allocated);
    last_allocated_ = allocated;
    since_ = end;
  }
  /// Returns when the last collection ended.
  [[nodiscard]] Clock::time_point last_end() const { return since_; }
  /// Whether the program would allocate at most a quarter of the live bytes in a cycle that takes `times` as
  /// long as a stop-the-world marking. One that allocates more soon needs another collection, is slowed down,
  /// and its heap grows by the dead objects that wait for it.
  [[nodiscard]] bool allocates_little(Clock::time_point now, std::uint64_t allocated, double times) const {
    const double current = allocated > last_allocated_ / 2 ? rate(now, allocated) : rate_;
    return current * times * time_of_byte_.count() <= kLittle;
  }

  /// Notes that a cycle was given up or was no gain: twice as many collections as after the last failure then
  /// stop the program.
  void note_failed() {
    stops_to_make_ = stops_after_failure_;
    stops_after_failure_ = std::min(2 * stops_after_failure_, kMostStopsAfterFailure);
  }
  /// Whether a cycle with that last pause was no gain: a stop-the-world marking would take less than
  /// kLeastGain times as long.
  [[nodiscard]] bool is_failure(Clock::duration last_pause, std::uint64_t live_bytes) const {
    return last_pause * kLeastGain > time_of_byte_ * static_cast<double>(live_bytes);
  }

  /// Notes that memory ended although less than `room` was allocated: the free memory is fragmented. Only the
  /// first time in a cycle counts.
  void note_memory_ended(std::uint64_t allocated, std::uint64_t room) {
    if (!std::exchange(memory_ended_, true)) unusable_bytes_ = room - std::min(room, allocated);
  }
  /// Notes that a cycle begins, when `allocated` bytes were allocated since the last one.
  void begin(std::uint64_t allocated) {
    begun_at_ = allocated;
    begun_ = Clock::now();
  }
  /// Returns how much was allocated when the last cycle began.
  [[nodiscard]] std::uint64_t begun_at() const { return begun_at_; }
  /// Notes that the cycle's marking ends.
  void end(std::uint64_t allocated) {
    allocated_ = allocated;
    allocated_meanwhile_ = allocated - std::min(allocated, begun_at_);
    expected_bytes_ = std::max(expected_bytes_ / 2, allocated - std::min(allocated, begun_at_));
    expected_time_ = std::max<Clock::duration>(Clock::now() - begun_, kLeastTime);
    // The estimate decays, so that a stop-the-world collection is tried again, within limits.
    time_of_byte_ = std::max(time_of_byte_ * 7 / 8, measured_ / 2);
    if (!std::exchange(memory_ended_, false)) unusable_bytes_ -= unusable_bytes_ / 8;
  }

  /// Returns how many of the swept bytes are known to be live, at least half: those allocated during the
  /// marking count as live, but may be dead.
  // Without this, the more is allocated in a cycle, the more the heap may grow, and the more is allocated in
  // the next.
  [[nodiscard]] std::uint64_t known_live(std::uint64_t swept_bytes) const {
    return swept_bytes - std::min(swept_bytes / 2, allocated_meanwhile_);
  }

  /// Returns the bytes to allocate before a cycle begins, of a stop-the-world collection's budget.
  [[nodiscard]] std::uint64_t until_beginning(std::uint64_t budget) const {
    return budget - std::clamp(expected_bytes_ + expected_bytes_ / 2, budget / 8, budget / 2);
  }
  /// Returns until_beginning() for a heap with room for `room` bytes.
  [[nodiscard]] std::uint64_t until_beginning_within(std::uint64_t room) const {
    return until_beginning(room - std::min(room, unusable_bytes_));
  }
  /// Returns the bytes that may be allocated until now, during the marking: the budget grows by a tenth in
  /// the time that a marking took, up to a limit.
  // It is not counted from where the cycle began: the heap would grow by as much in each cycle that begins
  // late.
  [[nodiscard]] std::uint64_t until_now(std::uint64_t budget) const {
    const double times =
        std::min(std::chrono::duration<double>(Clock::now() - begun_) / expected_time_, kMostTimesLonger);
    return budget + budget / 16 + static_cast<std::uint64_t>(static_cast<double>(budget) / 10 * times);
  }

 private:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  // Returns the bytes allocated in a millisecond.
  [[nodiscard]] double rate(Clock::time_point now, std::uint64_t allocated) const {
    return static_cast<double>(allocated) / std::max<Milliseconds>(now - since_, kShortest).count();
  }
  [[nodiscard]] double expected_live(std::uint64_t live_bytes, std::uint64_t allocated) const {
    return static_cast<double>(live_bytes) + surviving_part_ * static_cast<double>(allocated);
  }

  static constexpr double kLeastBytes = 1 << 20;
  static constexpr Milliseconds kFastest = Milliseconds(0.1) / (1 << 20);
  static constexpr Milliseconds kShortest{0.001};
  static constexpr int kMostTimesSlower = 8;
  static constexpr double kMostTimesLonger = 8;
  static constexpr int kLeastGain = 2;
  static constexpr double kLittle = 0.25;  // of the live bytes
  static constexpr std::uint32_t kMostStopsAfterFailure = 1024;
  static constexpr std::chrono::milliseconds kLeastTime{10};

  Milliseconds measured_ = kFastest;  // by the last stop-the-world collection, within limits
  Milliseconds latest_{0};            // by the last two, unlimited; 0: not known
  Milliseconds before_{0};
  Milliseconds time_of_byte_ = kFastest;    // the present estimate
  Clock::time_point since_ = Clock::now();  // the end of the last collection
  std::uint64_t last_allocated_ = 0;        // between the last two collections
  double rate_ = 0;                         // of allocation between them
  std::uint32_t stops_to_make_ = 0;         // before the next cycle that was not asked for
  std::uint32_t stops_after_failure_ = 8;
  double surviving_part_ = 1;  // of the allocated bytes
  std::uint64_t begun_at_ = 0;
  std::uint64_t allocated_ = 0;  // at the end of the last marking
  Clock::time_point begun_;
  std::uint64_t allocated_meanwhile_ = 0;  // during the last marking
  std::uint64_t expected_bytes_ = 0;
  std::uint64_t unusable_bytes_ = 0;
  bool memory_ended_ = false;  // in this cycle
  Clock::duration expected_time_ = kLeastTime;
};

}  // namespace jackdaw::gc
