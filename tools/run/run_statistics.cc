#include "tools/run/run_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tools/command/input_error.h"
#include "tools/log/log_line.h"
#include "tools/log/process_summary.h"

namespace jackdaw::tools {

namespace {

std::vector<gc::CollectionRecord> collections_in(const std::string& log) {
  std::vector<gc::CollectionRecord> collections;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    try {
      collections.push_back(read_log_line(line));
    } catch (const InputError&) {  // not a collector's line
    }
  }
  return collections;
}

}  // namespace

std::string summarise_collections(const std::string& log) {
  const std::vector<gc::CollectionRecord> collections = collections_in(log);
  if (collections.empty()) return "jackdaw: no collections\n";
  const PauseFigures pauses = pauses_of(collections);
  std::uint64_t peak_heap_bytes = 0;
  for (const gc::CollectionRecord& collection : collections)
    peak_heap_bytes = std::max(peak_heap_bytes, collection.heap_bytes);
  const auto mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  return fmt::format(
      "jackdaw: collections: {}; pauses: {:.3f} ms in all, p50 {:.3f} ms, p99 {:.3f} ms, max {:.3f} ms\n"
      "jackdaw: processor time of the collector: {:.3f} ms\n"
      "jackdaw: {:.3f} MiB live after the last, peak heap {:.3f} MiB\n",
      collections.size(), pauses.total_ms, pauses.p50_ms, pauses.p99_ms, pauses.longest_ms,
      processor_ms_of(collections), mib(collections.back().live_bytes), mib(peak_heap_bytes));
}

}  // namespace jackdaw::tools
