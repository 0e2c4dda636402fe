// ProcessOptions: the options of the process's collector, and how the environment sets them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "gc/marking/mark_engine.h"
#include "gc/marking/memory_placement.h"
#include "gc/process/growth_policy.h"
#include "gc/process/profiling.h"
#include "gc/report/collection_log.h"
#include "heap/huge_pages.h"
#include "machine/control_groups.h"
#include "machine/memory_limits.h"

namespace jackdaw::gc {

/// Whether objects are marked while the program runs, where the kernel tracks its writes.
enum class MarksConcurrently : std::uint8_t {
  by_default,  ///< where stop-the-world pauses are long, and once the program asks
  always,
  never,  ///< not even when the program asks (ProcessCollector::mark_concurrently)
};

/// The options of the process's collector.
struct ProcessOptions {
  MarkingOptions marking;
  /// Where the heap's memory lies.
  MemoryPlacement memory;
  /// The heap does not become larger than this.
  std::size_t heap_limit_bytes = std::numeric_limits<std::size_t>::max();
  /// Whether the heap keeps within the memory that control groups and the machine leave (HeapLimit).
  bool fits_memory = true;
  /// The part of that memory that it may have.
  machine::MemoryShare memory_share;
  /// The folders in which the kernel says what they leave.
  machine::KernelFolders kernel_folders;
  /// Says when the heap asks for huge pages.
  heap::HugePageUse huge_pages = heap::HugePageUse::automatic;
  /// When to collect.
  GrowthPolicy growth;
  MarksConcurrently marks_concurrently = MarksConcurrently::by_default;
  /// Threads that mark while the program runs. 0: a quarter of the processors.
  std::uint32_t concurrent_markers = 0;
  /// The pause target of concurrent cycles.
  std::chrono::milliseconds pause_target{5};
  /// Whether allocation never collects.
  bool starts_disabled = false;
  /// Whether an interior pointer keeps an object; otherwise, outside stacks, only the address of its start
  /// does.
  bool all_interior_pointers = true;
  /// Whether a line is written for each collection.
  bool log_collections = false;
  LogSpelling log_spelling = LogSpelling::words;
  /// The file that the lines are appended to. Empty: the error output.
  std::string log_path;
  /// The path of heap dumps that collections write (HeapDumps::set). Empty: none.
  std::string dump_path;
  /// The signal after which the next collection writes a dump. 0: each collection does.
  int dump_signal = 0;
  /// The file of the metrics (MetricsFile). Empty: none.
  std::string metrics_path;
  /// The file of the trace (CollectionTrace). Empty: none.
  std::string trace_path;
  /// The file of the profile that is written at the exit (Profiling), and the bytes between two samples.
  /// Empty: none.
  std::string profile_path;
  std::uint64_t profile_every = Profiling::kEvery;
  /// Whether a second marking verifies each one; an object that only it finds ends the program.
  bool verifies = false;
  /// Whether memory without objects is filled with a pattern; a write there ends the program.
  bool poisons = false;
  /// The seed of random collections and delays (base/stress.h). 0: there are none.
  std::uint64_t stress_seed = 0;
  /// How long a collection waits for a thread that blocks all signals before it ends the program. 0: for
  /// ever.
  std::chrono::seconds stop_patience{15};
  /// Whether fork() is prepared for, so that the child can use the heap (pthread_atfork).
  bool handles_fork = true;
};

/// Returns the defaults, with as many mark threads as the process may use processors (64 at most).
ProcessOptions default_options();

/// Returns the options with the environment's changes (docs/environment.md). A bad value gives one line on
/// the error output and leaves the given option; so do an unknown variable and one without effect. In a
/// program with more rights than its user the environment is ignored. Throws std::bad_alloc.
ProcessOptions options_from_environment(ProcessOptions options = default_options());

}  // namespace jackdaw::gc
