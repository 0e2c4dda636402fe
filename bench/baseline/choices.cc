#include "bench/baseline/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "bench/baseline/boehm.h"
#include "bench/baseline/object_marking.h"
#include "bench/baseline/openmp_marker.h"
#include "bench/baseline/own_engine.h"
#include "bench/baseline/packet_marking.h"
#include "bench/baseline/tbb_marker.h"
#include "tools/command/input_error.h"
#include "tools/command/named_values.h"

namespace jackdaw::bench {

namespace {

// This name stands for both of TBB's baselines whose tasks are objects.
constexpr std::string_view kTbb = "tbb";

bool needs_openmp(BaselineKind kind) {
  return kind == BaselineKind::openmp || kind == BaselineKind::openmp_packets;
}

// Returns the baselines that a name of the list stands for; none for an unknown name.
std::vector<BaselineKind> kinds_named(std::string_view name) {
  if (name == kTbb) return {BaselineKind::tbb_feeder, BaselineKind::tbb_tasks};
  for (const auto& [known, kind] : kBaselineKinds) {
    if (known == name) return {kind};
  }
  return {};
}

[[noreturn]] void refuse(std::string_view list, const std::string& why) {
  throw tools::InputError(fmt::format("--baseline '{}': {}; it takes {}", list, why, baseline_choices()));
}

void append(std::string_view list, std::string_view name, std::vector<BaselineKind>& kinds) {
  const std::vector<BaselineKind> named = kinds_named(name);
  if (named.empty()) refuse(list, fmt::format("'{}' is no baseline", name));
  for (const BaselineKind kind : named) {
    if (std::ranges::find(kinds, kind) != kinds.end())
      refuse(list, fmt::format("{} is named twice", tools::name_of(kBaselineKinds, kind)));
    if (needs_openmp(kind) && !has_openmp())
      throw tools::InputError(fmt::format(
          "--baseline {}: this build has no OpenMP; leave it out, or build with a compiler that has it",
          name));
    kinds.push_back(kind);
  }
}

}  // namespace

std::string baseline_choices() {
  return fmt::format("any of {}, {} (tbb-feeder,tbb-tasks), each once, separated by commas",
                     fmt::join(tools::names_in(kBaselineKinds), ", "), kTbb);
}

std::vector<BaselineKind> parse_baselines(std::string_view list) {
  std::vector<BaselineKind> kinds;
  std::size_t start = 0;
  while (start <= list.size()) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    append(list, list.substr(start, end - start), kinds);
    start = end + 1;
  }
  return kinds;
}

std::unique_ptr<Baseline> make_baseline(BaselineKind kind, const tools::Graph& graph, const HeapGraph& ours,
                                        gc::Collector& collector, const gc::MarkingOptions& marking,
                                        const std::string& libgc_folder) {
  const std::uint32_t threads = collector.mark_threads();
  switch (kind) {
    case BaselineKind::boehm:
      return std::make_unique<BoehmHeap>(graph, CollectorSetting{.markers = threads}, libgc_folder);
    case BaselineKind::tbb_feeder:
      return std::make_unique<TbbFeederMarker>(collector.heap(), ours.roots(), threads);
    case BaselineKind::tbb_tasks:
      return std::make_unique<TbbTasksMarker<ByObject>>(collector.heap(), ours.roots(), threads);
    case BaselineKind::tbb_packets:
      return std::make_unique<TbbTasksMarker<ByPacket>>(collector.heap(), ours.roots(), threads);
    case BaselineKind::openmp:
      return make_openmp_marker<ByObject>(collector.heap(), ours.roots(), threads);
    case BaselineKind::openmp_packets:
      return make_openmp_marker<ByPacket>(collector.heap(), ours.roots(), threads);
    case BaselineKind::serial:
      return OwnEngine::serial(collector, marking);
    case BaselineKind::team:
      return OwnEngine::team(collector, marking);
  }
  return nullptr;
}

}  // namespace jackdaw::bench
