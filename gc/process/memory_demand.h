// MemoryDemand: how much memory a heap is about to need, by what it needed in the last seconds.
//
// After a collection a heap is expected to take what that found live, and the budget. The heap is taken to
// need this up to the middle between that collection and the next, or up to kOldest before the next where
// that is later, since a program that allocates in bursts needs its memory soon after. It counts in full
// until kFullTime after that, so that a program whose live data swings does not fault in again what it gave
// up a moment ago, and then less and less, down to nothing after kAllTime. The allocation in kAhead at the
// present rate always counts, up to what the last collection lets the program expect.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace jackdaw::gc {

/// One thread at a time.
class MemoryDemand {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  static constexpr Seconds kFullTime{1.5};
  static constexpr Seconds kAllTime{2.0};
  static constexpr Seconds kAhead{30};
  /// The rate of allocation is that of this many intervals of at least this length.
  static constexpr std::size_t kIntervals = 2;
  static constexpr Seconds kSampleTime{1};

  /// Notes that a collection ended at `now`, and that the heap is expected to take `bytes` until the next
  /// one.
  void note_collection(std::uint64_t bytes, Clock::time_point now) {
    note(expected_, now - std::min<Clock::duration>((now - last_collection_) / 2, kOldest));
    note(bytes, now);
    expected_ = bytes;
    last_collection_ = now;
  }
  /// Forgets what the heap was expected to take, until the next collection.
  void forget() {
    expected_ = 0;
    notes_ = {};
  }
  /// Notes how many bytes the program has allocated in all.
  void note_allocated(std::uint64_t bytes, Clock::time_point now) {
    if (sample_count_ != 0 && now - samples_.front().time < kSampleTime) return;
    std::shift_right(samples_.begin(), samples_.end(), 1);
    samples_.front() = {now, bytes};
    sample_count_ = std::min(sample_count_ + 1, samples_.size());
  }
  /// Notes the bytes allocated in all after a time without samples: the rate counts as unlimited until the
  /// next sample.
  void note_allocated_anew(std::uint64_t bytes, Clock::time_point now) {
    samples_.front() = {now, bytes};
    sample_count_ = 1;
  }
  /// Returns the bytes that the program will allocate in kAhead at its present rate, but at most `most`.
  [[nodiscard]] std::uint64_t soon(std::uint64_t most) const {
    return static_cast<std::uint64_t>(std::min(static_cast<double>(most), rate() * kAhead.count()));
  }
  /// Returns the bytes that the heap should keep, when `used` are in use.
  [[nodiscard]] std::uint64_t at(Clock::time_point now, std::uint64_t used) const {
    std::uint64_t most = used + soon(expected_ - std::min(expected_, used));
    for (const Note& note : notes_) most = std::max(most, part_of(note, now, used));
    return most;
  }

 private:
  struct Note {
    std::size_t slot = 0;
    Clock::time_point time{};
    std::uint64_t bytes = 0;
  };
  struct Sample {
    Clock::time_point time{};
    std::uint64_t bytes = 0;
  };
  static constexpr std::chrono::milliseconds kSlotTime{500};
  static constexpr std::size_t kSlots = 8;
  static constexpr std::chrono::seconds kOldest{1};
  static_assert(kSlots * kSlotTime >= kAllTime + kOldest);

  void note(std::uint64_t bytes, Clock::time_point now) {
    const auto slot = static_cast<std::size_t>(now.time_since_epoch() / kSlotTime);
    Note& note = notes_[slot % kSlots];
    if (note.slot != slot) note = {.slot = slot};
    note.time = std::max(note.time, now);
    note.bytes = std::max(note.bytes, bytes);
  }
  static std::uint64_t part_of(const Note& note, Clock::time_point now, std::uint64_t used) {
    if (note.bytes <= used) return used;
    const double left = (kAllTime - Seconds(now - note.time)) / (kAllTime - kFullTime);
    return used +
           static_cast<std::uint64_t>(static_cast<double>(note.bytes - used) * std::clamp(left, 0.0, 1.0));
  }
  // Returns the bytes allocated in a second.
  [[nodiscard]] double rate() const {
    if (sample_count_ < 2) return std::numeric_limits<double>::infinity();
    const Sample& newest = samples_.front();
    const Sample& oldest = samples_[sample_count_ - 1];
    return static_cast<double>(newest.bytes - oldest.bytes) / Seconds(newest.time - oldest.time).count();
  }

  std::uint64_t expected_ = 0;
  Clock::time_point last_collection_{};
  std::array<Note, kSlots> notes_;
  std::array<Sample, kIntervals + 1> samples_;  // the newest first
  std::size_t sample_count_ = 0;
};

}  // namespace jackdaw::gc
