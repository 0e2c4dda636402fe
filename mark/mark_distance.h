// MarkDistance: whether the marks that a worker needs are near, in its own caches, or far, in another core's.
//
// Near marks are best set at once. Far ones are best prefetched and set later; but the prefetch takes their
// line from the other core, which needs it, too. In a program's heap most references lead to a few popular
// objects or to neighbours, so marks are near; in a heap in random order every other mark was last set by
// another worker. So the distance is measured: while marks count as near, a worker now and then times how
// long one takes to arrive. (A worker that prefetches marks cannot measure this.)
//
// Where most marks are already set, prefetching them for writing is wrong however far they are: many cores
// can read a line at once, and the prefetch takes it from all of them, so lines of popular objects would only
// travel. So, beside other workers, marks count as far only while enough of them are new.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace jackdaw::mark {

/// After this number of visits, and the batch that reaches it, a worker polls for requests of others.
inline constexpr std::uint32_t kVisitsBetweenPolls = 8;

/// Owned by one worker. It counts that worker's polls (count_poll).
class MarkDistance {
 public:
  using Duration = std::chrono::nanoseconds;

  /// The number of polls between two samples while marks are near. It starts at kPollsASample and doubles
  /// each time the marks are judged near, up to the second constant, as a sample takes longer than a visit.
  static constexpr std::uint32_t kPollsASample = 16;
  static constexpr std::uint32_t kMostPollsASample = 256;
  /// The number of samples that are judged together.
  static constexpr std::uint32_t kSamples = 32;
  /// Marks are far when samples take this long on average. Measured (docs/results.md, with samples of up to
  /// 500 ns): up to 13 ns where few lines come from another core, which takes 100 and more; 29 to 50 where
  /// many do.
  static constexpr Duration kFar{18};
  /// The limit for a worker alone, whose marks come from no other core. Measured: a third-level cache takes
  /// up to 60 ns, which deferring gains little on, and memory 110 and more.
  static constexpr Duration kFarAlone{64};
  /// Samples are clamped to between nothing and this, so that one preemption cannot make near marks count as
  /// far.
  static constexpr Duration kLongest{128};
  /// Beside other workers marks count as far only while at least one in this number of references leads to a
  /// new object.
  static constexpr std::uint64_t kReferencesANew = 8;
  /// While marks are far, the share of new ones is checked after each kPollsALook polls; after kLooksFar such
  /// checks marks count as near again, and are measured.
  static constexpr std::uint32_t kPollsALook = kSamples * kPollsASample;
  static constexpr std::uint32_t kLooksFar = 64;

  [[nodiscard]] bool is_far() const { return is_far_; }

  /// These make marks near until measured otherwise, by the limit of a worker alone or of one beside others.
  void start_alone() { start(true); }
  void start_together() { start(false); }

  /// Counts a poll. When it returns true, note_marks() is due and, while marks are near, the next visit must
  /// be sampled.
  bool count_poll() { return --polls_left_ == 0; }
  /// Takes how many references the worker has followed so far, and how many led to objects that it marked.
  /// While marks are far this may make them near.
  void note_marks(std::uint64_t references, std::uint64_t marked) {
    references_ = references;
    marked_ = marked;
    if (!is_far_) return;
    if (--looks_left_ == 0 || are_mostly_set()) {
      take_as_near();
    } else {
      restart(kPollsALook);
    }
  }

  /// Returns how long `read()` takes without the clock's own time. While marks are near.
  template <typename Read>
  void sample(Read read) {
    const auto start = std::chrono::steady_clock::now();
    const auto before = std::chrono::steady_clock::now();
    read();
    const auto after = std::chrono::steady_clock::now();
    add_sample((after - before) - (before - start));
  }

  /// Notes how long a sample took, while marks are near.
  void add_sample(Duration duration) {
    sum_ += std::clamp(duration, Duration{0}, kLongest);
    if (++samples_ < kSamples) return;
    is_far_ = sum_ >= kSamples * (is_alone_ ? kFarAlone : kFar) && !are_mostly_set();
    polls_a_sample_ = is_far_ ? kPollsASample : std::min(2 * polls_a_sample_, kMostPollsASample);
    looks_left_ = kLooksFar;
    restart(is_far_ ? kPollsALook : polls_a_sample_);
  }

  /// Ends a sampled visit, whether or not it found something to sample. While marks are near.
  void end_sampled_visit() {
    if (polls_left_ == 0) polls_left_ = polls_a_sample_;
  }

  void take_as_near() {
    is_far_ = false;
    polls_a_sample_ = kPollsASample;
    restart(kPollsASample);
  }

 private:
  void start(bool is_alone) {
    is_alone_ = is_alone;
    references_ = marked_ = 0;
    take_as_near();
  }
  void restart(std::uint32_t polls) {
    samples_ = 0;
    sum_ = {};
    polls_left_ = polls;
    start_window();
  }
  void start_window() {
    references_before_ = references_;
    marked_before_ = marked_;
  }
  // Whether few of the references since the last judgement or check led to new objects. Always false for a
  // worker alone, which takes lines from no other.
  [[nodiscard]] bool are_mostly_set() const {
    return !is_alone_ && (marked_ - marked_before_) * kReferencesANew < references_ - references_before_;
  }

  bool is_alone_ = false;
  bool is_far_ = false;
  std::uint32_t polls_a_sample_ = kPollsASample;
  std::uint32_t polls_left_ = kPollsASample;
  std::uint32_t samples_ = 0;
  std::uint32_t looks_left_ = kLooksFar;
  std::uint64_t references_ = 0;  // references of the round at the last note_marks()
  std::uint64_t marked_ = 0;
  std::uint64_t references_before_ = 0;  // references of the round at the start of the judged window
  std::uint64_t marked_before_ = 0;
  Duration sum_{};
};

}  // namespace jackdaw::mark
