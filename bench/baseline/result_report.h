// Formats baselines' results beside ours, for any kind of heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "bench/baseline/result.h"

namespace jackdaw::bench {

/// Tables of more runs are cut, as their medians say more.
inline constexpr std::size_t kRunsShown = 20;

/// How references are found in the objects of our heap, as a word for people and JSON.
enum class OurObjects : std::uint8_t { typed, conservative };
std::string_view to_string(OurObjects objects);

/// Formats the headings of the columns that format_baseline_time fills.
void format_baseline_headings(std::span<const BaselineResult> baselines, std::string& out);

/// Formats a baseline's time and the ratio of `our_ms` to it. `baseline` gives its column's width.
void format_baseline_time(const BaselineResult& baseline, double our_ms, double baseline_ms,
                          std::string& out);

/// Formats a line for each ratio of medians, which says what was compared.
void format_ratios(std::span<const BaselineResult> baselines, OurObjects objects, std::string& out);

/// Adds the results with the keys that docs/command.md lists; nothing where there are none.
void add_baselines(std::span<const BaselineResult> baselines, nlohmann::ordered_json& json);

}  // namespace jackdaw::bench
