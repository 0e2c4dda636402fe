// Baseline: another implementation of what a collection of ours does, to time in turn with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace jackdaw::bench {

/// The part of our collection that a baseline is compared with.
enum class Phase : std::uint8_t {
  collection,  ///< the whole; the baseline has a heap of its own
  marking,     ///< clearing marks, roots, marking; the baseline marks in Jackdaw's heap
};

class Baseline {
 public:
  Baseline() = default;
  virtual ~Baseline() = default;
  Baseline(const Baseline&) = delete;
  Baseline& operator=(const Baseline&) = delete;

  [[nodiscard]] virtual Phase phase() const = 0;
  /// The version of the library that does it; empty where its name says all.
  [[nodiscard]] virtual std::string version() const { return {}; }
  /// Threads that really run, the caller of run() included.
  [[nodiscard]] virtual std::uint32_t threads() const = 0;
  /// Does it once. Returns the time that it took.
  virtual std::chrono::nanoseconds run() = 0;
};

}  // namespace jackdaw::bench
