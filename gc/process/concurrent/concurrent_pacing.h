// ConcurrentPacing: whether a cycle marks while the program runs, when it begins, and how much is allocated
// in it.
//
// A small heap is marked so fast that to stop the program for it is best: a cycle takes more processor time,
// and keeps what dies in it.
//
// After G1's adaptive threshold (OpenJDK, G1IHOPControl): a cycle begins so early that what is allocated
// while objects are marked is within the budget, as far as the cycles before tell. When that was too late,
// the program is slowed down: more is granted as time passes, so that nobody waits for long at a time.
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
  /// A collection stopped the program for so long, and found so many bytes live. One alone may have waited
  /// for a processor.
  void note_stopped(Clock::duration pause, std::uint64_t live_bytes) {
    const Milliseconds measured = pause / std::max(static_cast<double>(live_bytes), kLeastBytes);
    before_ = std::exchange(latest_, measured);
    measured_ = time_of_byte_ = std::max(std::min(measured, kMostTimesSlower * measured_), kFastest);
    stops_to_make_ -= std::min(stops_to_make_, 1U);
  }
  /// A collection found so many bytes live, where so many were, and so many were allocated since.
  void note_live(std::uint64_t before, std::uint64_t allocated, std::uint64_t live_bytes) {
    const std::uint64_t more = live_bytes - std::min(live_bytes, before);
    surviving_part_ = static_cast<double>(std::min(more, allocated)) /
                      std::max(static_cast<double>(allocated), kLeastBytes);
  }
  /// Notes as note_live() what the cycle found that ended last.
  void note_swept(std::uint64_t before, std::uint64_t live_bytes) {
    note_live(before, allocated_, live_bytes);
  }
  /// Whether a collection would, as far as is known, stop the program for longer than that, when so many
  /// bytes were live and so many were allocated since.
  [[nodiscard]] bool takes_longer(std::chrono::milliseconds target, std::uint64_t live_bytes,
                                  std::uint64_t allocated) const {
    return time_of_byte_ * expected_live(live_bytes, allocated) >= target;
  }
  /// The stricter test for a program that did not ask for cycles: the last two collections that stopped the
  /// program agree, and no cycle failed lately.
  [[nodiscard]] bool surely_takes_longer(std::chrono::milliseconds target, std::uint64_t live_bytes,
                                         std::uint64_t allocated) const {
    return stops_to_make_ == 0 &&
           std::min({time_of_byte_, latest_, before_}) * expected_live(live_bytes, allocated) >= target;
  }

  /// A collection began and ended then, when so many bytes were allocated since the one before.
  void note_allocated(Clock::time_point begin, Clock::time_point end, std::uint64_t allocated) {
    rate_ = rate(begin, allocated);
    last_allocated_ = allocated;
    since_ = end;
  }
  /// Whether a program that allocated so many bytes since the last collection would allocate little in a
  /// cycle that takes `times` as long as to stop it: up to a quarter of what is live. One that allocates more
  /// has another collection soon, and is slowed down, and its heap grows, by what is dead and waits for it.
  [[nodiscard]] bool allocates_little(Clock::time_point now, std::uint64_t allocated, double times) const {
    const double current = allocated > last_allocated_ / 2 ? rate(now, allocated) : rate_;
    return current * times * time_of_byte_.count() <= kLittle;
  }

  /// A cycle failed: it was given up, or was no gain. The next collections stop the program, twice as many
  /// each time that this happens.
  void note_failed() {
    stops_to_make_ = stops_after_failure_;
    stops_after_failure_ = std::min(2 * stops_after_failure_, kMostStopsAfterFailure);
  }
  /// Whether a cycle whose last pause took so long, where so many bytes are live, was no gain: to stop the
  /// program for all of the marking would take less than kLeastGain times as long.
  [[nodiscard]] bool is_failure(Clock::duration last_pause, std::uint64_t live_bytes) const {
    return last_pause * kLeastGain > time_of_byte_ * static_cast<double>(live_bytes);
  }

  /// Nothing was left of the heap's memory, though less was allocated than it should have had room for: the
  /// free memory is in the wrong places. The first of a cycle counts.
  void note_memory_ended(std::uint64_t allocated, std::uint64_t room) {
    if (!std::exchange(memory_ended_, true)) unusable_bytes_ = room - std::min(room, allocated);
  }
  /// A cycle begins, when so many bytes were allocated since the last one.
  void begin(std::uint64_t allocated) {
    begun_at_ = allocated;
    begun_ = Clock::now();
  }
  /// How much was allocated when the last cycle began.
  [[nodiscard]] std::uint64_t begun_at() const { return begun_at_; }
  /// Its marking ends.
  void end(std::uint64_t allocated) {
    allocated_ = allocated;
    allocated_meanwhile_ = allocated - std::min(allocated, begun_at_);
    expected_bytes_ = std::max(expected_bytes_ / 2, allocated - std::min(allocated, begun_at_));
    expected_time_ = std::max<Clock::duration>(Clock::now() - begun_, kLeastTime);
    // A heap is looked at again, if that does not stop the program for much longer than it may be.
    time_of_byte_ = std::max(time_of_byte_ * 7 / 8, measured_ / 2);
    if (!std::exchange(memory_ended_, false)) unusable_bytes_ -= unusable_bytes_ / 8;
  }

  /// Returns how many of the bytes that the sweep of the last cycle found were live when it began: what was
  /// allocated meanwhile counts as live, and is not known to be. Half of them at least.
  // Else the more is allocated in a cycle, the more the heap may grow, and the more is allocated in the next.
  [[nodiscard]] std::uint64_t known_live(std::uint64_t swept_bytes) const {
    return swept_bytes - std::min(swept_bytes / 2, allocated_meanwhile_);
  }

  /// Bytes to allocate before a cycle begins, of those that a collection that stops the program would wait
  /// for.
  [[nodiscard]] std::uint64_t until_beginning(std::uint64_t budget) const {
    return budget - std::clamp(expected_bytes_ + expected_bytes_ / 2, budget / 8, budget / 2);
  }
  /// Returns until_beginning for a heap that has room for so many bytes.
  [[nodiscard]] std::uint64_t until_beginning_within(std::uint64_t room) const {
    return until_beginning(room - std::min(room, unusable_bytes_));
  }
  /// Bytes to allocate until now, while objects are marked: a quarter of the budget more in the time that a
  /// marking took, up to a limit.
  // Not counted from where the cycle began: the heap would grow by as much in each one that begins late.
  [[nodiscard]] std::uint64_t until_now(std::uint64_t budget) const {
    const double times =
        std::min(std::chrono::duration<double>(Clock::now() - begun_) / expected_time_, kMostTimesLonger);
    return budget + budget / 8 + static_cast<std::uint64_t>(static_cast<double>(budget) / 4 * times);
  }

 private:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  // Bytes in a millisecond.
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
  static constexpr double kLittle = 0.25;  // of what is live
  static constexpr std::uint32_t kMostStopsAfterFailure = 1024;
  static constexpr std::chrono::milliseconds kLeastTime{10};

  Milliseconds measured_ = kFastest;  // for each live byte, by the last collection that stopped the program
  Milliseconds latest_{0};            // the same as it was, and by the one before; at first nothing is sure
  Milliseconds before_{0};
  Milliseconds time_of_byte_ = kFastest;    // what is expected
  Clock::time_point since_ = Clock::now();  // the last collection is over
  std::uint64_t last_allocated_ = 0;        // between the last two
  double rate_ = 0;                         // in that time
  std::uint32_t stops_to_make_ = 0;         // before the next cycle that nobody asked for
  std::uint32_t stops_after_failure_ = 8;
  double surviving_part_ = 1;  // of what is allocated
  std::uint64_t begun_at_ = 0;
  std::uint64_t allocated_ = 0;  // when the last one ended
  Clock::time_point begun_;
  std::uint64_t allocated_meanwhile_ = 0;  // in its marking
  std::uint64_t expected_bytes_ = 0;
  std::uint64_t unusable_bytes_ = 0;
  bool memory_ended_ = false;  // in this cycle
  Clock::duration expected_time_ = kLeastTime;
};

}  // namespace jackdaw::gc
