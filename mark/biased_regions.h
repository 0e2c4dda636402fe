// BiasedRegions: one worker's regions of the heap, in which it alone marks, with plain loads and stores.
//
// A locked read-modify-write costs as much as all else that marking an object costs when memory is near. But
// workers seldom mark in the same region: a thief that took a subtree stays in it. So regions (a block, say)
// are biased as a lock is in biased locking: each has a word that says which workers mark there:
//
//   free     no worker has marked there in this round
//   biased   one worker alone, with plain accesses; the word holds its number and the bias's generation
//   shared   everybody, with atomic read-modify-writes, until the end of the round
//
// The first worker to mark in a region biases it to itself. Another that comes to it defers its reference and
// asks the holder, which answers within some tasks by ending all its biases at once: it goes on to its next
// generation, and what it still needs it biases again. A region whose bias has ended is taken over as
// shared by others. A worker that is asked too often biases nothing for this round and some more, so a heap
// in random order settles down to all shared. A worker without tasks ends its biases, so none waits for one
// that sleeps.
//
// Invariants
//  1. A word leaves "biased" only by its holder's hand or after its holder's generation has passed on.
//  2. A holder marks plainly only between a load of the word that equals its bias and its next give_up. So
//     all its plain marks come before the release that ends the generation.
//  3. A word leaves "shared" only when the model clears it, between rounds.
// The comment at each memory_order names the access that it pairs with.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/always_inline.h"
#include "base/check.h"

namespace jackdaw::mark {

/// A region's word. The model keeps one for each region. Before a round all words are zero, or as an earlier
/// round of the same workers left them: with biases that have ended.
using BiasWord = std::atomic<std::uint32_t>;

/// How a worker may mark in a region.
enum class MarkingRight : std::uint8_t {
  exclusive,  ///< plainly, until its next give_up or poll
  shared,     ///< with atomic read-modify-writes
  none,       ///< not yet: defer the reference, poll, and try again
};

/// One worker's biases. `has_ended` and `ask` may be called by other workers, all else by the worker's own
/// thread.
class BiasedRegions {
 public:
  /// Workers are numbered from 0; this many can be told apart.
  static constexpr std::uint32_t kMaximumWorkers = 1024;
  /// A worker that is asked this often in one round stops biasing.
  static constexpr std::uint32_t kPatience = 64;
  /// A worker that stopped biasing does without for this number of further rounds: a heap is most likely much
  /// as it was.
  static constexpr std::uint32_t kRoundsWithout = 15;

  explicit BiasedRegions(std::uint32_t worker)
      : worker_(worker), bias_(bias_of(worker, 0)), published_(bias_) {
    JACKDAW_CHECK(worker < kMaximumWorkers);
  }

  /// Decides whether this worker biases in the round that begins. To be called before it marks: it holds no
  /// live bias then, so no worker asks.
  void start_round() {
    if (times_asked_ >= kPatience) {
      rounds_without_ = kRoundsWithout;
    } else if (rounds_without_ > 0) {
      --rounds_without_;
    }
    biasing_ = rounds_without_ == 0;
    times_asked_ = 0;
    // Relaxed: what was asked in an earlier round was answered by running out of tasks.
    asked_.store(false, std::memory_order_relaxed);
  }

  /// Returns how this worker may mark in the region of `word`. `biased_regions_of(worker)` gives another
  /// worker's biases.
  template <typename RegionsOf>
  JACKDAW_ALWAYS_INLINE MarkingRight right_to_mark(BiasWord& word, RegionsOf biased_regions_of) {
    // Acquire: pairs with the release in take_as, so that what was marked under a bias that has ended is
    // seen, and so that has_ended() reads no generation that is older than the bias seen here.
    const std::uint32_t seen = word.load(std::memory_order_acquire);
    if (seen == bias_) [[likely]]
      return MarkingRight::exclusive;
    if (seen == kShared) return MarkingRight::shared;
    return negotiate(word, seen, biased_regions_of);
  }

  /// Answers other workers' requests. To be called between two tasks. It takes one load of a line that is
  /// written only when a worker asks.
  void poll() {
    // Relaxed: an asker that is missed is seen at the next poll.
    if (!asked_.load(std::memory_order_relaxed)) [[likely]]
      return;
    if (++times_asked_ >= kPatience) biasing_ = false;
    give_up();
  }

  /// Ends all of this worker's biases. O(1).
  void give_up() {
    // Relaxed: comes before the release below. An asker that finds the next bias alive has acquired that
    // release, in has_ended, so its asking comes after this and is not undone.
    asked_.store(false, std::memory_order_relaxed);
    // Relaxed: this worker alone writes it.
    JACKDAW_CHECK(published_.load(std::memory_order_relaxed) == bias_);
    bias_ = next_generation(bias_);
    JACKDAW_CHECK(worker_of(bias_) == worker_ && bias_ >= kGenerationStep);
    // Release: pairs with the acquire in has_ended, so that a worker that sees the biases ended sees the
    // marks made under them.
    published_.store(bias_, std::memory_order_release);
  }

  /// Returns whether `bias` is one of this worker's that it has given up. Any worker.
  [[nodiscard]] bool has_ended(std::uint32_t bias) const {
    // Acquire: pairs with the release in give_up.
    return published_.load(std::memory_order_acquire) != bias;
  }

  /// Asks this worker to give its biases up. Any worker. The line is written only when the request is new.
  void ask() {
    // Relaxed, both: the flag carries nothing but itself; see poll.
    if (!asked_.load(std::memory_order_relaxed)) asked_.store(true, std::memory_order_relaxed);
  }

 private:
  // Bias numbers: the worker in bits 0 to 9, the generation above. Generation 0 is skipped, so that no bias
  // is taken for free or shared.
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kShared = 1;
  static constexpr std::uint32_t kGenerationStep = kMaximumWorkers;

  static std::uint32_t bias_of(std::uint32_t worker, std::uint32_t generation) {
    return (generation + 1) * kGenerationStep + worker;
  }
  static std::uint32_t worker_of(std::uint32_t bias) { return bias % kMaximumWorkers; }
  static std::uint32_t next_generation(std::uint32_t bias) {
    const std::uint32_t next = bias + kGenerationStep;
    return next >= kGenerationStep ? next : next + kGenerationStep;
  }

  template <typename RegionsOf>
  [[gnu::noinline]] MarkingRight negotiate(BiasWord& word, std::uint32_t seen, RegionsOf biased_regions_of) {
    while (seen != kShared) {
      JACKDAW_CHECK(seen == kFree || seen >= kGenerationStep);
      JACKDAW_CHECK(seen != bias_);  // no other worker writes this worker's bias
      const bool own = seen == kFree || worker_of(seen) == worker_;
      if (!own && !biased_regions_of(worker_of(seen)).has_ended(seen)) {
        biased_regions_of(worker_of(seen)).ask();
        return MarkingRight::none;
      }
      // A region in which another worker marked becomes shared for good: taking turns would never end.
      const std::uint32_t wanted = own && biasing_ ? bias_ : kShared;
      if (take_as(wanted, word, seen))
        return wanted == kShared ? MarkingRight::shared : MarkingRight::exclusive;
    }
    return MarkingRight::shared;
  }

  static bool take_as(std::uint32_t wanted, BiasWord& word, std::uint32_t& seen) {
    // Release: pairs with the acquire in right_to_mark, and hands on the marks of the bias that ended,
    // acquired in has_ended. Acquire, also when it fails: pairs with the release of the one that was faster.
    return word.compare_exchange_strong(seen, wanted, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  const std::uint32_t worker_;
  std::uint32_t bias_;  // the present one
  alignas(128) std::atomic<std::uint32_t> published_;
  alignas(128) std::atomic<bool> asked_{false};
  alignas(128) bool biasing_ = true;
  std::uint32_t times_asked_ = 0;
  std::uint32_t rounds_without_ = 0;  // that are still to come, this one included
};

}  // namespace jackdaw::mark
