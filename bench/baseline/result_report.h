// How baselines' results are shown beside ours, whichever heap ours were measured on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "bench/baseline/result.h"

namespace jackdaw::bench {

/// Longer tables of runs are cut: their medians tell more.
inline constexpr std::size_t kRunsShown = 20;

/// Whether the objects that ours collects tell where their references are, in a word for people and JSON.
enum class OurObjects : std::uint8_t { typed, conservative };
std::string_view to_string(OurObjects objects);

/// The headings of the columns that format_baseline_times fills.
void format_baseline_headings(std::span<const BaselineResult> baselines, std::string& out);

/// A baseline's time, and the ratio of `our_ms` to it. `baseline`: for its column's width.
void format_baseline_time(const BaselineResult& baseline, double our_ms, double baseline_ms,
                          std::string& out);

/// A line for each ratio of medians, which says what was compared.
void format_ratios(std::span<const BaselineResult> baselines, OurObjects objects, std::string& out);

/// Adds the results by the keys that docs/command.md lists; nothing where there are none.
void add_baselines(std::span<const BaselineResult> baselines, nlohmann::ordered_json& json);

}  // namespace jackdaw::bench
