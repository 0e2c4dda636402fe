// ProcessCounters: counts collections, and memory that is freed explicitly.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace jackdaw::gc {

/// One for the process. Any thread reads; each function says which thread writes.
class ProcessCounters {
 public:
  /// Returns the number of collections so far.
  // Relaxed: a number that publishes nothing, here and below.
  [[nodiscard]] std::uint64_t collections() const { return collections_.load(std::memory_order_relaxed); }
  /// Returns the bytes that the last collection found live.
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_.load(std::memory_order_relaxed); }
  /// Returns the bytes allocated up to the last collection.
  [[nodiscard]] std::uint64_t bytes_before_last_collection() const {
    return bytes_before_.load(std::memory_order_relaxed);
  }
  /// Returns the explicitly freed bytes since the last collection: all of the calling thread's, and those
  /// that others have reported, a block's worth at a time.
  [[nodiscard]] std::uint64_t freed_bytes() const;

  /// Counts `bytes` that the calling thread freed. They are reported to other threads a block's worth at a
  /// time; the remainder of an exiting thread is lost.
  void count_freed(std::uint64_t bytes);
  /// Counts `bytes` that were freed outside all threads' allocators. Any thread.
  void count_freed_elsewhere(std::uint64_t bytes) {
    freed_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  /// Notes a collection that found `live_bytes` after `allocated_bytes` were allocated in all, and returns
  /// its number. With the collector's lock.
  std::uint64_t note_collection(std::uint64_t live_bytes, std::uint64_t allocated_bytes);
  /// Notes how long the program was stopped. With the collector's lock.
  // Relaxed, here and below: numbers that publish nothing; the lock keeps writers apart.
  void note_pause(std::chrono::nanoseconds time) {
    all_pauses_.store(all_pauses() + time, std::memory_order_relaxed);
    longest_pause_.store(std::max(longest_pause(), time), std::memory_order_relaxed);
  }
  /// These return how long the program was stopped in all, and at most at once. Of the short stops of a
  /// concurrent cycle, the longest of each counts.
  [[nodiscard]] std::chrono::nanoseconds all_pauses() const {
    return all_pauses_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::chrono::nanoseconds longest_pause() const {
    return longest_pause_.load(std::memory_order_relaxed);
  }
  /// Notes the live bytes that a sweep found. With the collector's lock.
  void set_live_bytes(std::uint64_t bytes) { live_bytes_.store(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> live_bytes_{0};
  std::atomic<std::uint64_t> bytes_before_{0};
  std::atomic<std::uint64_t> freed_bytes_{0};
  std::atomic<std::uint64_t> collections_{0};
  std::atomic<std::chrono::nanoseconds> all_pauses_{};
  std::atomic<std::chrono::nanoseconds> longest_pause_{};
};

}  // namespace jackdaw::gc
