// The experiment of `jackdaw mark`: a graph is marked repeatedly, beside baselines on the same graph.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/baseline/baseline.h"
#include "bench/baseline/choices.h"
#include "bench/baseline/result.h"
#include "bench/engines/engines.h"
#include "bench/mark/bounds.h"
#include "bench/mark/line_reads.h"
#include "bench/mark/plain_loop.h"
#include "gc/marking/mark_engine.h"
#include "gc/marking/memory_placement.h"
#include "gc/runtime/collector.h"
#include "mark/statistics.h"
#include "mark/time_line.h"

namespace jackdaw::bench {

/// The user's options.
struct MarkExperimentOptions {
  std::string graph;  ///< a specification, see graph_spec.h
  EngineParts parts;
  gc::MarkingOptions marking;  ///< `make` makes an engine of the parts
  gc::MemoryPlacement memory;
  std::uint64_t object_bytes = 48;
  std::uint32_t repeat = 5;             ///< measured runs
  std::uint32_t warmup = 1;             ///< runs before them
  bool verify = false;                  ///< compare every run's marks with a serial traversal
  std::vector<BaselineKind> baselines;  ///< no kind twice
  std::string libgc_folder;             ///< see libgc_functions()
  bool limit = false;                   ///< read as many cache lines, too, and run a plain loop
  bool bounds = false;                  ///< also measure the bounds of the theory, in runs of their own
  bool time_line = false;               ///< also record what each worker does, in a run of its own
};

/// The time to read the marked objects' cache lines once, with as many threads. If objects lie at random
/// addresses, every object's lines are read in random order; otherwise each line once, in a stream.
struct ReadLimit {
  ReadOrder order = ReadOrder::random;
  std::uint64_t lines = 0;      ///< read in each run: each object's from its header to its last reference
  std::uint64_t bytes = 0;      ///< of the memory that is read: as much as the objects' distinct lines
  std::vector<double> wall_ms;  ///< once for each run of ours, in turn with ours
  double median_ms = 0;
};

/// The figures of one run, or each one's median over the runs.
struct RunFigures {
  double wall_ms = 0;     ///< clearing marks, roots, marking
  double collect_ms = 0;  ///< the whole collection
  std::uint64_t objects_marked = 0;
  std::uint64_t references = 0;  ///< non-null references held by reachable objects, repeats included
  double ns_per_object = 0;      ///< of wall_ms
  double steal_percent = 0;

  /// The time that a baseline of that phase is compared with.
  [[nodiscard]] double time_of(Phase phase) const { return phase == Phase::marking ? wall_ms : collect_ms; }
};

struct Run {
  RunFigures figures;
  std::vector<mark::WorkerStatistics> workers;
  std::vector<std::uint32_t> steals_by_victim;  ///< of worker t from worker v at t × workers + v
};

/// The spans of each worker in one run (mark/time_line.h); workers that were not called have none.
struct RunTimeLine {
  std::chrono::steady_clock::time_point start;  ///< of the earliest span
  std::chrono::nanoseconds length{0};           ///< to the end of the last
  std::vector<std::vector<mark::WorkerSpan>> workers;
  std::uint64_t dropped = 0;  ///< spans that there was no room for
};

struct MarkReport {
  std::string graph;
  std::uint64_t objects = 0;     ///< nodes of the graph, reachable or not
  std::uint64_t heap_bytes = 0;  ///< of all chunks
  /// The heap's bytes on each memory node; one entry where chunks lie on no particular node.
  std::vector<std::uint64_t> heap_bytes_by_node;
  std::uint64_t marking_memory_bytes = 0;  ///< mark bits, block tables, queues, overflow lists
  std::uint32_t threads = 0;               ///< workers that really ran
  EngineParts parts;                       ///< as asked for
  gc::MarkingOptions marking;              ///< as asked for
  bool verified = false;                   ///< whether the marks were compared
  std::vector<std::string>
      differences;  ///< one line for each run, warm-ups included, whose marks were not right
  std::vector<Run> runs;
  RunFigures median;
  std::vector<BaselineResult> baselines;  ///< as asked for, in that order
  std::optional<ReadLimit> limit;
  std::optional<PlainLoopTimes> plain_loop;  ///< where there is a limit
  std::optional<Bounds> bounds;
  std::optional<RunTimeLine> time_line;

  /// Returns our median marking ÷ the median time to read the lines. There must be a limit.
  [[nodiscard]] double ratio_to_limit() const { return median.wall_ms / limit->median_ms; }
  /// Whether no run's marks differed.
  [[nodiscard]] bool all_correct() const { return differences.empty(); }
};

/// Builds the graph and runs. Throws InputError for wrong input, and for a graph that does not fit in memory.
MarkReport run_mark_experiment(const MarkExperimentOptions& options);

}  // namespace jackdaw::bench
