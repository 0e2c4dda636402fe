// Records of a collection log for tests, and the machine that they are for.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "gc/report/collection_log.h"
#include "tools/log/advice.h"

namespace jackdaw::tools {

inline constexpr ProgramMachine kMachine{.processors = 4, .tracks_writes = true};

/// A collection for each of `pauses_ms`, one every 100 ms, with 100 MiB live of 150; four markers that all
/// had work.
inline std::vector<gc::CollectionRecord> log_with_pauses(const std::vector<int>& pauses_ms) {
  std::vector<gc::CollectionRecord> log;
  log.reserve(pauses_ms.size());
  for (const int pause_ms : pauses_ms) {
    log.push_back({.number = log.size() + 1,
                   .pause = std::chrono::milliseconds(pause_ms),
                   .used_bytes_before = std::uint64_t{150} << 20,
                   .live_bytes = std::uint64_t{100} << 20,
                   .heap_bytes = std::uint64_t{160} << 20,
                   .mark_threads = 4,
                   .markers = 4,
                   .at = (log.size() + 1) * std::chrono::milliseconds(100),
                   .process = 7,
                   .processor_time = std::chrono::milliseconds(2 * pause_ms)});
  }
  return log;
}

}  // namespace jackdaw::tools
