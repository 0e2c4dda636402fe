// How rarely collections come at random (JACKDAW_STRESS).
#pragma once

#include <algorithm>
#include <cstdint>

namespace jackdaw::gc {

/// How often, on average, threads ask the collector for memory between two collections that come at random.
///
/// A collection costs about as much as is live. So it becomes rarer with each MiB that is live, and the more
/// the longer the program runs, up to eight times as rare. A short program meets many all the same. Whole MiB
/// count, so that a word that happens to look like an address changes nothing.
constexpr std::uint64_t stress_interval(std::uint64_t live_bytes, std::uint64_t collections) {
  constexpr std::uint64_t kLeast = 64;
  constexpr std::uint64_t kFirstOfMib = 16;
  constexpr std::uint64_t kMostOfMib = 128;
  constexpr std::uint64_t kCollectionsForMore = 8;
  const std::uint64_t of_mib = std::min(kMostOfMib, kFirstOfMib + collections / kCollectionsForMore);
  return kLeast + of_mib * (live_bytes >> 20);
}

}  // namespace jackdaw::gc
