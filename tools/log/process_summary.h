// ProcessSummary: the figures of each process that wrote to a collection log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gc/report/collection_log.h"

namespace jackdaw::tools {

/// Pauses of the program. A percentile P is the least pause that P % of them do not exceed.
struct PauseFigures {
  std::size_t count = 0;
  double total_ms = 0;
  double p50_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  double longest_ms = 0;
};

/// A concurrent cycle counts with its first and last pause and the longest stop between them, as the log does
/// not contain the others.
PauseFigures pauses_of(std::span<const gc::CollectionRecord> collections);

/// Returns the milliseconds of processor time that the collector took up to the last of these lines.
double processor_ms_of(std::span<const gc::CollectionRecord> collections);

struct ProcessSummary {
  /// Collections of one kind.
  struct Kind {
    bool concurrent = false;
    gc::CollectionReason reason = gc::CollectionReason::allocation;
    PauseFigures pauses = {};
    std::size_t collections = 0;
  };

  std::uint32_t process = 0;                      ///< the process's number
  std::vector<gc::CollectionRecord> collections;  ///< in their order
  PauseFigures pauses;
  std::vector<Kind> kinds;    ///< those that occurred
  double begin_ms = 0;        ///< the collector's start, or that of the log's first collection
  double end_ms = 0;          ///< the last line, on the same clock
  double paused_percent = 0;  ///< of the time between
  double processor_ms = 0;    ///< the collector's; 0 in a log of an earlier version, which does not tell
  std::uint64_t peak_live_bytes = 0;
  std::uint64_t peak_heap_bytes = 0;
};

/// Returns one summary for each process, the one with the longest pauses in all first. A process's number may
/// be reused: where a collection's number is not higher than the one before, another process began.
std::vector<ProcessSummary> summarise_processes(std::span<const gc::CollectionRecord> log);

}  // namespace jackdaw::tools
