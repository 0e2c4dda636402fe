// Budget: how much may be allocated before the collector runs.
//
// The collector sets the thresholds. An allocation that would pass one fails, and its thread asks the
// collector for memory. So the collector runs in time without a check on the fast path.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace jackdaw::heap {

/// While it exists, no budget limits the calling thread.
class BeyondBudget {
 public:
  BeyondBudget() { is_in_force_ = true; }
  ~BeyondBudget() { is_in_force_ = false; }
  BeyondBudget(const BeyondBudget&) = delete;
  BeyondBudget& operator=(const BeyondBudget&) = delete;

  [[nodiscard]] static bool is_in_force() { return is_in_force_; }

 private:
  // The model avoids a call of the thread library at each access, also in a shared library.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local bool is_in_force_;
};

/// Any thread reads it and sets thresholds; the count is changed under the heap's lock.
// Relaxed, everywhere: these numbers publish nothing. A thread that sees an old one allocates one block more
// or is refused once more.
class Budget {
 public:
  /// Returns the bytes handed out to allocators since the last sweep, counted by whole free runs.
  [[nodiscard]] std::uint64_t allocated() const { return allocated_.load(std::memory_order_relaxed); }
  void count_allocated(std::uint64_t bytes) {
    allocated_.store(allocated() + bytes, std::memory_order_relaxed);
  }
  /// Subtracts explicitly freed bytes, down to zero: the object may be older than the last sweep.
  void count_freed(std::uint64_t bytes) {
    allocated_.store(allocated() - std::min(bytes, allocated()), std::memory_order_relaxed);
  }
  /// Starts the count anew, as a sweep begins.
  void start_count() { allocated_.store(0, std::memory_order_relaxed); }

  /// Sets the thresholds: an allocation fails when allocated() would pass `bytes`. One that would make the
  /// heap larger than it is and than `heap_bytes` fails once allocated() has passed `while_growing`.
  void set(std::uint64_t bytes, std::uint64_t while_growing, std::uint64_t heap_bytes) {
    bytes_.store(bytes, std::memory_order_relaxed);
    while_growing_.store(while_growing, std::memory_order_relaxed);
    grows_freely_to_.store(heap_bytes, std::memory_order_relaxed);
  }
  void set(std::uint64_t bytes) { set(bytes, bytes, 0); }
  /// Sets the growth threshold: no chunk is added for an allocation while allocated() is below it, so that
  /// the collector runs before the heap grows.
  void set_growth_threshold(std::uint64_t bytes) {
    growth_threshold_.store(bytes, std::memory_order_relaxed);
  }
  /// Sets the watch threshold: an allocation that would make the heap larger than this fails.
  void watch(std::uint64_t heap_bytes) { watched_.store(heap_bytes, std::memory_order_relaxed); }
  /// Whether an allocation fails at the watch threshold that would make the heap `heap_bytes` bytes large.
  [[nodiscard]] bool is_watched(std::uint64_t heap_bytes) const {
    return heap_bytes > watched_.load(std::memory_order_relaxed);
  }
  /// Whether allocated() is less than the growth threshold.
  [[nodiscard]] bool grows_too_early() const {
    return allocated() < growth_threshold_.load(std::memory_order_relaxed);
  }

  /// Whether the calling thread may allocate `bytes` bytes.
  [[nodiscard]] bool allows(std::uint64_t bytes) const {
    if (BeyondBudget::is_in_force()) return true;
    const std::uint64_t budget = bytes_.load(std::memory_order_relaxed);
    return bytes <= budget && allocated() <= budget - bytes;
  }
  /// Whether an allocation of the calling thread may make the heap grow to `heap_bytes`, as it always may up
  /// to `kept_bytes`.
  [[nodiscard]] bool allows_growth_to(std::uint64_t heap_bytes, std::uint64_t kept_bytes) const {
    if (BeyondBudget::is_in_force()) return true;
    if (is_watched(heap_bytes)) return false;
    if (allocated() <= while_growing_.load(std::memory_order_relaxed)) return true;
    return heap_bytes <= std::max(kept_bytes, grows_freely_to_.load(std::memory_order_relaxed));
  }
  /// Whether the calling thread may have a chunk added at all.
  [[nodiscard]] bool allows_chunks() const { return !grows_too_early() || BeyondBudget::is_in_force(); }

  /// Until let_in(), threads get memory only beyond the budget (BeyondBudget), even from blocks that they
  /// own. To be called while no thread allocates.
  void lock_out() {
    locks_out_.store(true, std::memory_order_relaxed);
    set(0);
  }
  void let_in() { locks_out_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool locks_out() const {
    return locks_out_.load(std::memory_order_relaxed) && !BeyondBudget::is_in_force();
  }

 private:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::atomic<std::uint64_t> allocated_{0};
  std::atomic<std::uint64_t> bytes_{kUnlimited};
  std::atomic<std::uint64_t> while_growing_{kUnlimited};
  std::atomic<std::uint64_t> grows_freely_to_{0};
  std::atomic<bool> locks_out_{false};
  std::atomic<std::uint64_t> growth_threshold_{0};
  std::atomic<std::uint64_t> watched_{kUnlimited};
};

}  // namespace jackdaw::heap
