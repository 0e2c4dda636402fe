// Baseline choices: the baselines by name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/baseline/baseline.h"
#include "bench/heap/heap_graph.h"
#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"
#include "tools/graph/graph.h"

namespace jackdaw::bench {

enum class BaselineKind : std::uint8_t {
  boehm,
  tbb_feeder,
  tbb_tasks,
  tbb_packets,
  openmp,
  openmp_packets,
  serial,  ///< our engine with one worker
  team,    ///< our engine with all workers from the start
};
inline constexpr std::array<std::pair<std::string_view, BaselineKind>, 8> kBaselineKinds = {{
    {"boehm", BaselineKind::boehm},
    {"tbb-feeder", BaselineKind::tbb_feeder},
    {"tbb-tasks", BaselineKind::tbb_tasks},
    {"tbb-packets", BaselineKind::tbb_packets},
    {"openmp", BaselineKind::openmp},
    {"openmp-packets", BaselineKind::openmp_packets},
    {"serial", BaselineKind::serial},
    {"team", BaselineKind::team},
}};

/// Returns the names that a list of baselines may hold, as text.
std::string baseline_choices();

/// Returns the baselines of a list, separated by commas, in its order; "tbb" stands for
/// "tbb-feeder,tbb-tasks". Throws InputError for an empty list, an unknown name, a baseline that is named
/// twice, and one that this build or this machine does not have.
std::vector<BaselineKind> parse_baselines(std::string_view list);

/// Makes a baseline with as many threads as the collector has mark threads, or one for `serial`. `ours` is
/// the graph in the collector's heap; it and the collector must outlive the baseline. `marking` is how that
/// collector's engine was made, and `libgc_folder` the folder of libgc_functions(). Throws InputError when
/// memory runs out.
std::unique_ptr<Baseline> make_baseline(BaselineKind kind, const tools::Graph& graph, const HeapGraph& ours,
                                        gc::Collector& collector, const gc::MarkingOptions& marking,
                                        const std::string& libgc_folder);

}  // namespace jackdaw::bench
