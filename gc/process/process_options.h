// ProcessOptions: how the process's collector is set up, and what the environment says of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "gc/marking/mark_engine.h"
#include "gc/marking/memory_placement.h"
#include "gc/process/growth_policy.h"
#include "gc/report/collection_log.h"

namespace jackdaw::gc {

/// Whether objects are marked while the program runs, where the system tells what it writes.
enum class MarksConcurrently : std::uint8_t {
  by_default,  ///< where collections stop the program for long, and from when the program asks for it on
  always,
  never,  ///< not even when the program asks (ProcessCollector::mark_concurrently)
};

/// How the process's collector is set up.
struct ProcessOptions {
  MarkingOptions marking;
  /// Where the heap's memory lies.
  MemoryPlacement memory;
  /// The heap never gets larger.
  std::size_t heap_limit_bytes = std::numeric_limits<std::size_t>::max();
  /// When to collect.
  GrowthPolicy growth;
  MarksConcurrently marks_concurrently = MarksConcurrently::by_default;
  /// Threads that mark while the program runs. 0: a quarter of the processors.
  std::uint32_t concurrent_markers = 0;
  /// The pause target, where objects are marked while the program runs.
  std::chrono::milliseconds pause_target{5};
  /// Whether allocation never collects.
  bool starts_disabled = false;
  /// Whether an address anywhere in an object keeps it; else, outside stacks, that of its start alone.
  bool all_interior_pointers = true;
  /// Whether a line is written for each collection.
  bool log_collections = false;
  LogSpelling log_spelling = LogSpelling::words;
  /// Where to: a file that is appended to. Empty: the error output.
  std::string log_path;
  /// Collections leave a dump of the heap there (HeapDumps::set). Empty: none.
  std::string dump_path;
  /// Dumps are left by the collections after this signal. 0: by all.
  int dump_signal = 0;
  /// The file of the trace (CollectionTrace). Empty: none.
  std::string trace_path;
  /// Whether a second marking follows each, and an object that only it finds ends the program.
  bool verifies = false;
  /// Whether memory that holds no object is filled with a pattern, and one that is not there any more ends
  /// the program.
  bool poisons = false;
  /// The seed of random collections and delays (base/stress.h). 0: there are none.
  std::uint64_t stress_seed = 0;
  /// How long a collection waits for a thread that blocks all signals, before it ends the program. 0: for
  /// ever.
  std::chrono::seconds stop_patience{15};
  /// Whether fork() is prepared for, so that its child can use the heap (pthread_atfork).
  bool handles_fork = true;
};

/// The defaults, with as many mark threads as there are processors that the process may use (64 at most).
ProcessOptions default_options();

/// The given options, and what the environment says instead (docs/environment.md). A bad value is answered
/// with one line on the error output and the given option; an unknown one, and one without effect, is told
/// likewise. In a program with more rights than its user the
/// environment says nothing. Throws std::bad_alloc.
ProcessOptions options_from_environment(ProcessOptions options = default_options());

}  // namespace jackdaw::gc
