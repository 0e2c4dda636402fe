// ProcessCounters: what the process's collector counts of collections and of memory that is freed by hand.
#pragma once

#include <atomic>
#include <cstdint>

namespace jackdaw::gc {

/// One for the process. Any thread reads; each function says which thread writes.
class ProcessCounters {
 public:
  /// Collections so far.
  // Relaxed: a number that publishes nothing, here and below.
  [[nodiscard]] std::uint64_t collections() const { return collections_.load(std::memory_order_relaxed); }
  /// The bytes that the last collection found live.
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_.load(std::memory_order_relaxed); }
  /// Bytes allocated up to the last collection.
  [[nodiscard]] std::uint64_t bytes_before_last_collection() const {
    return bytes_before_.load(std::memory_order_relaxed);
  }
  /// Bytes that were freed by hand: by the calling thread all, by others a block's worth at a time. Begins
  /// anew with every collection.
  [[nodiscard]] std::uint64_t freed_bytes() const;

  /// Counts `bytes` that the calling thread freed. They are told to all threads a block's worth at a time;
  /// what a thread has not told when it ends is lost.
  void count_freed(std::uint64_t bytes);
  /// Counts `bytes` that were freed and that no thread's allocator knows of. Any thread.
  void count_freed_elsewhere(std::uint64_t bytes) {
    freed_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  /// Notes that a collection found `live_bytes`, before which `allocated_bytes` were allocated in all. With
  /// the collector's lock. Returns its number.
  std::uint64_t note_collection(std::uint64_t live_bytes, std::uint64_t allocated_bytes);
  /// Notes the live bytes that a sweep found. With the collector's lock.
  void set_live_bytes(std::uint64_t bytes) { live_bytes_.store(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> live_bytes_{0};
  std::atomic<std::uint64_t> bytes_before_{0};
  std::atomic<std::uint64_t> freed_bytes_{0};
  std::atomic<std::uint64_t> collections_{0};
};

}  // namespace jackdaw::gc
