// ProcessOptions: how the process's collector is set up, and what the environment says of it.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "gc/marking.h"

namespace jackdaw::gc {

/// How the process's collector is set up.
struct ProcessOptions {
  MarkingOptions marking;
  /// All chunks together never take more.
  std::size_t heap_limit_bytes = std::numeric_limits<std::size_t>::max();
  /// Allocate so much before the first collection. At most heap_limit_bytes.
  std::size_t initial_heap_bytes = 0;
  /// Allocate at least so much between collections.
  std::size_t minimum_budget_bytes = std::size_t{4} << 20;
  /// Between collections, allocate so many times what the last one found live.
  double growth = 0.75;
  /// Whether allocation never collects.
  bool starts_disabled = false;
  /// Whether an address anywhere in an object keeps it; else, outside stacks, that of its start alone.
  bool all_interior_pointers = true;
  /// Whether a line is written for each collection.
  bool log_collections = false;
  /// Where to: a file that is appended to. Empty: the error output.
  std::string log_path;
  /// Whether fork() is prepared for, so that its child can use the heap (pthread_atfork).
  bool handles_fork = true;
};

/// The defaults, with as many mark threads as there are processors that the process may use (64 at most).
ProcessOptions default_options();

/// The defaults, and what the environment says instead (docs/environment.md). A bad value is answered with
/// one line on the error output and the default. In a program with more rights than its user the environment
/// says nothing. Throws std::bad_alloc.
ProcessOptions options_from_environment();

/// The growth that libgc's users ask for with a free space divisor: 2 ÷ `divisor`, which is at least 1.
constexpr double growth_of_divisor(double divisor) { return 2.0 / divisor; }

}  // namespace jackdaw::gc
