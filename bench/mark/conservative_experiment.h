// The experiment of `jackdaw mark --interface c`: a graph is allocated through the C interface and collected
// repeatedly by GC_gcollect, beside libgc by the same calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/baseline/result.h"
#include "bench/conservative/conservative_heap.h"
#include "bench/mark/plain_loop.h"

namespace jackdaw::bench {

/// The user's options.
struct ConservativeExperimentOptions {
  std::string graph;         ///< a specification, see graph_spec.h
  CollectorSetting setting;  ///< of both collectors
  std::uint64_t object_bytes = 48;
  std::uint64_t seed = 1;
  std::uint32_t repeat = 5;  ///< measured runs
  std::uint32_t warmup = 1;  ///< runs before them
  bool verify = false;       ///< check the marks after every collection
  bool beside_libgc = false;
  std::string libgc_folder;  ///< see libgc_functions()
  bool limit = false;        ///< run a plain loop after every run
};

struct ConservativeReport {
  ConservativeExperimentOptions options;
  std::uint64_t objects = 0;     ///< nodes of the graph
  std::uint64_t reachable = 0;   ///< those that the roots reach
  std::uint64_t heap_bytes = 0;  ///< GC_get_heap_size of ours
  std::uint32_t threads = 0;     ///< mark threads that really ran
  std::vector<double> collect_ms;
  double median_ms = 0;
  std::vector<BaselineResult> baselines;  ///< libgc or none
  std::optional<PlainLoopTimes> plain_loop;
  /// With verify: one line for each collection of ours or libgc's that lost objects.
  std::vector<std::string> differences;
  /// With verify: the most unreachable objects that one collection of ours left marked.
  std::uint64_t most_kept = 0;

  [[nodiscard]] double ns_per_object(double ms) const {
    return reachable == 0 ? 0 : ms * 1e6 / static_cast<double>(reachable);
  }
  [[nodiscard]] bool all_correct() const { return differences.empty(); }
};

/// Builds the heaps and runs. At most once in a process. Throws InputError for wrong input, and for a graph
/// that does not fit in memory.
ConservativeReport run_conservative_experiment(const ConservativeExperimentOptions& options);

}  // namespace jackdaw::bench
