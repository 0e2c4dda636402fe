#include "bench/limit/limit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/command/memory_limit.h"
#include "tools/command/named_values.h"
#include "tools/command/provenance.h"

namespace jackdaw::bench {

namespace {

// Returns how much of the memory that asked for huge pages has them: "none", "all", or a size.
std::string huge_pages_of(const LimitResult& result) {
  if (result.bytes_on_huge_pages == 0) return "none";
  return result.bytes_on_huge_pages == result.bytes ? "all"
                                                    : tools::describe_bytes(result.bytes_on_huge_pages);
}

}  // namespace

std::string format_limit(const LimitOptions& options, const std::vector<LimitResult>& results) {
  std::string out =
      fmt::format("reading {}-byte cache lines; medians of {} interleaved passes over the memory\n\n",
                  kLineBytes, options.repeat);
  fmt::format_to(std::back_inserter(out), "{:>10}  {:<5}  {:<10}  {:<6} {:>7} {:>8} {:>7}  {}\n", "memory",
                 "pages", "huge pages", "order", "threads", "ns/line", "GB/s", "of passes");
  for (const LimitResult& result : results) {
    const auto [least, most] = std::ranges::minmax(result.runs);
    fmt::format_to(std::back_inserter(out),
                   "{:>10}  {:<5}  {:<10}  {:<6} {:>7} {:>8.3f} {:>7.2f}  {:.2f}..{:.2f}\n",
                   tools::describe_bytes(result.bytes), tools::name_of(kPageKinds, result.pages),
                   huge_pages_of(result), tools::name_of(kReadOrders, result.order), result.threads,
                   result.ns_per_line, result.gigabytes_per_second(), least, most);
  }
  return out;
}

std::string limit_to_json(const LimitOptions& options, const std::vector<LimitResult>& results) {
  nlohmann::ordered_json json = {{"made", tools::provenance()},
                                 {"line_bytes", kLineBytes},
                                 {"repeat", options.repeat},
                                 {"seed", options.seed},
                                 {"results", nlohmann::ordered_json::array()}};
  for (const LimitResult& result : results) {
    json["results"].push_back({{"bytes", result.bytes},
                               {"pages", tools::name_of(kPageKinds, result.pages)},
                               {"bytes_on_huge_pages", result.bytes_on_huge_pages},
                               {"order", tools::name_of(kReadOrders, result.order)},
                               {"threads", result.threads},
                               {"runs", result.runs},
                               {"ns_per_line", result.ns_per_line},
                               {"gigabytes_per_second", result.gigabytes_per_second()}});
  }
  return json.dump(2) + "\n";
}

}  // namespace jackdaw::bench
