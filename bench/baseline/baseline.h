// Baseline: another implementation of a collection or a marking, which is timed in turn with ours.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace jackdaw::bench {

/// The part of our collection that a baseline is compared with.
enum class Phase : std::uint8_t {
  collection,  ///< all of it; the baseline has a heap of its own
  marking,     ///< clearing marks, roots, marking; the baseline marks in Jackdaw's heap
};

class Baseline {
 public:
  Baseline() = default;
  virtual ~Baseline() = default;
  Baseline(const Baseline&) = delete;
  Baseline& operator=(const Baseline&) = delete;

  [[nodiscard]] virtual Phase phase() const = 0;
  /// Returns the version of the library that it uses; empty where its name is enough.
  [[nodiscard]] virtual std::string version() const { return {}; }
  /// Returns the number of threads that really run, the caller of run() included.
  [[nodiscard]] virtual std::uint32_t threads() const = 0;
  /// Runs once and returns the time that it took.
  virtual std::chrono::nanoseconds run() = 0;
};

}  // namespace jackdaw::bench
