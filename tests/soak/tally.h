// Tally: what all threads have done so far, and what a failed check does.
#pragma once

#include "jackdaw/gc.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace jackdaw::soak {

/// The ways to register a finalizer, as gc.h and javaxfc.h have them.
inline constexpr std::size_t kFinalizerKinds = 4;

/// Totals. Relaxed, all accesses: they are read when the threads are over, or show how far these are.
struct Tally {
  std::atomic<std::uint64_t> rounds{0};
  std::atomic<std::uint64_t> threads{0};
  std::atomic<std::uint64_t> forks{0};
  std::atomic<std::uint64_t> graphs{0};
  std::atomic<std::uint64_t> nodes{0};
  std::atomic<std::uint64_t> nodes_checked{0};
  std::atomic<std::uint64_t> links{0};
  std::atomic<std::uint64_t> links_cleared{0};
  std::atomic<std::uint64_t> freed{0};
  std::array<std::atomic<std::uint64_t>, kFinalizerKinds> finalizers{};
  std::array<std::atomic<std::uint64_t>, kFinalizerKinds> finalized{};
  // Bytes of the graphs that the model says are reachable, in the collector's heap, and of the model itself.
  std::atomic<std::uint64_t> live_bytes{0};
  std::atomic<std::uint64_t> model_bytes{0};
  std::atomic<std::uint64_t> peak_live_bytes{0};
  std::atomic<std::uint64_t> peak_model_bytes{0};
  std::atomic<std::uint64_t> peak_resident_bytes{0};
};

extern Tally tally;

inline void count(std::atomic<std::uint64_t>& total, std::uint64_t more = 1) {
  total.fetch_add(more, std::memory_order_relaxed);
}
/// Raises `peak` to `value`, if that is more.
inline void raise_to(std::atomic<std::uint64_t>& peak, std::uint64_t value) {
  std::uint64_t seen = peak.load(std::memory_order_relaxed);
  while (seen < value && !peak.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// The bytes that the heap, or the program, may take so far. In what is live the model has not what waits for
/// its finalizer: of dead graphs that hold one another each collection finds the outermost.
inline std::uint64_t allowed_bytes() {
  // Relaxed, both: see Tally.
  return 4 * tally.peak_live_bytes.load(std::memory_order_relaxed) +
         2 * tally.peak_model_bytes.load(std::memory_order_relaxed) + (std::uint64_t{64} << 20);
}

/// Ends the program at once with status 1 and a line that says what was found, with two numbers.
[[noreturn]] void fail(const char* what, std::uint64_t first = 0, std::uint64_t second = 0);

/// Fails unless `holds`.
inline void check(bool holds, const char* what, std::uint64_t first = 0, std::uint64_t second = 0) {
  if (!holds) [[unlikely]]
    fail(what, first, second);
}

}  // namespace jackdaw::soak
