// stress_interval: how often random collections come (JACKDAW_STRESS).
#pragma once

#include <algorithm>
#include <cstdint>

namespace jackdaw::gc {

/// Returns the average number of requests for memory between two random collections.
///
/// A collection costs about as much as is live. So the interval grows with each live MiB, and up to eightfold
/// as the program runs on. A short program still has many. Only whole MiB count, so that a single false
/// reference changes nothing.
constexpr std::uint64_t stress_interval(std::uint64_t live_bytes, std::uint64_t collections) {
  constexpr std::uint64_t kLeast = 64;
  constexpr std::uint64_t kFirstOfMib = 16;
  constexpr std::uint64_t kMostOfMib = 128;
  constexpr std::uint64_t kCollectionsForMore = 8;
  const std::uint64_t of_mib = std::min(kMostOfMib, kFirstOfMib + collections / kCollectionsForMore);
  return kLeast + of_mib * (live_bytes >> 20);
}

}  // namespace jackdaw::gc
