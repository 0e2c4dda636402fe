// MarkDistance: whether the marks that a worker needs are near, in its own caches, or far, in another core's.
//
// Near marks are best set at once. Far ones are best asked for and set a while later; but asking takes them
// away from the other core, which wants them, too. Which it is depends on the heap: in a program's heap most
// references lead to few popular objects or to neighbours, so marks are near; where references lead anywhere,
// every other mark was last set by another worker. So it is measured: now and then a worker that takes marks
// to be near times how long one takes to come. (One that takes them to be far makes them so, and cannot
// tell.)
//
// Where most marks that are looked at are set already, asking for them is wrong however long they take: many
// cores can look at a line at once, and a core that asks for it takes it from all of them. Lines with popular
// objects would do nothing but travel. So beside others marks are far only while enough of them are new.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace jackdaw::mark {

/// After this number of visits, once its batch is over, a worker polls for requests of others: at their pace
/// that is often enough.
inline constexpr std::uint32_t kVisitsBetweenPolls = 8;

/// One worker's. Counts the times that it polls, see count_poll.
class MarkDistance {
 public:
  using Duration = std::chrono::nanoseconds;

  /// The number of polls between two samples while marks are near: it begins with the first and doubles each
  /// time that they were judged to be near, up to the second, as a sample takes longer than a visit.
  static constexpr std::uint32_t kPollsASample = 16;
  static constexpr std::uint32_t kMostPollsASample = 256;
  /// How many samples are judged together.
  static constexpr std::uint32_t kSamples = 32;
  /// Marks are far when a sample takes this long on average. Measured (docs/results.md, where a sample
  /// could count as 500 ns): up to 13 ns where few come from another core, which takes 100 and more; 29 to 50
  /// where many do.
  static constexpr Duration kFar{18};
  /// A worker alone has another limit, as its marks come from no other core: measured, a third-level cache
  /// takes up to 60 ns, in which little is gained, and memory 110 and more.
  static constexpr Duration kFarAlone{64};
  /// A sample counts as this long at most, and as nothing at least: the processor may have been away. So
  /// where marks are near, it takes some that come from other cores to be far, and not an interruption.
  static constexpr Duration kLongest{128};
  /// Beside others marks count as far only while at least one in this number of references leads to a new
  /// object.
  static constexpr std::uint64_t kReferencesANew = 8;
  /// While marks are far, the share of new ones is checked after kPollsALook polls; after kLooksFar such
  /// checks marks are taken to be near again, and measured.
  static constexpr std::uint32_t kPollsALook = kSamples * kPollsASample;
  static constexpr std::uint32_t kLooksFar = 64;

  [[nodiscard]] bool is_far() const { return is_far_; }

  /// Marks are near until they turn out not to be, from here on for a worker alone or for one beside others.
  void start_alone() { start(true); }
  void start_together() { start(false); }

  /// To be called at each poll. True: note_marks is due, and while near the next visit is to be sampled.
  bool count_poll() { return --polls_left_ == 0; }
  /// How many references the worker has followed so far, and how many led to objects that it marked. While
  /// far this may make marks near.
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

  /// While near: how long `read()` takes, without what the clock takes.
  template <typename Read>
  void sample(Read read) {
    const auto start = std::chrono::steady_clock::now();
    const auto before = std::chrono::steady_clock::now();
    read();
    const auto after = std::chrono::steady_clock::now();
    add_sample((after - before) - (before - start));
  }

  /// Notes, while near, how long a sample took.
  void add_sample(Duration duration) {
    sum_ += std::clamp(duration, Duration{0}, kLongest);
    if (++samples_ < kSamples) return;
    is_far_ = sum_ >= kSamples * (is_alone_ ? kFarAlone : kFar) && !are_mostly_set();
    polls_a_sample_ = is_far_ ? kPollsASample : std::min(2 * polls_a_sample_, kMostPollsASample);
    looks_left_ = kLooksFar;
    restart(is_far_ ? kPollsALook : polls_a_sample_);
  }

  /// While near: the sampled visit is over, whether or not it found something to sample.
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
  // Whether few of the references since the last judgement, or look, led to new objects. A worker alone takes
  // its lines from no other.
  [[nodiscard]] bool are_mostly_set() const {
    return !is_alone_ && (marked_ - marked_before_) * kReferencesANew < references_ - references_before_;
  }

  bool is_alone_ = false;
  bool is_far_ = false;
  std::uint32_t polls_a_sample_ = kPollsASample;
  std::uint32_t polls_left_ = kPollsASample;
  std::uint32_t samples_ = 0;
  std::uint32_t looks_left_ = kLooksFar;
  std::uint64_t references_ = 0;  // of the round, when they were noted last
  std::uint64_t marked_ = 0;
  std::uint64_t references_before_ = 0;  // the same at the start of the window that is judged
  std::uint64_t marked_before_ = 0;
  Duration sum_{};
};

}  // namespace jackdaw::mark
