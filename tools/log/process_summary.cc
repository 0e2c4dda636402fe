#include "tools/log/process_summary.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace jackdaw::tools {

namespace {

double in_ms(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void add_pauses(const gc::CollectionRecord& collection, std::vector<double>& pauses) {
  pauses.push_back(in_ms(collection.pause));
  if (!collection.concurrent) return;
  pauses.push_back(in_ms(collection.concurrent->first_pause));
  if (collection.concurrent->stops > 0) pauses.push_back(in_ms(collection.concurrent->longest_stop));
}

// Returns the least value that the given part of the sorted values does not exceed.
double percentile(const std::vector<double>& sorted, double part) {
  const double rank = std::ceil(part * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::vector<ProcessSummary::Kind> kinds_of(std::span<const gc::CollectionRecord> collections) {
  std::map<std::pair<bool, gc::CollectionReason>, std::vector<gc::CollectionRecord>> sorted;
  for (const gc::CollectionRecord& collection : collections)
    sorted[{collection.concurrent.has_value(), collection.reason}].push_back(collection);
  std::vector<ProcessSummary::Kind> kinds;
  kinds.reserve(sorted.size());
  for (const auto& [kind, members] : sorted)
    kinds.push_back({kind.first, kind.second, pauses_of(members), members.size()});
  return kinds;
}

void finish(ProcessSummary& summary) {
  const gc::CollectionRecord& first = summary.collections.front();
  summary.process = first.process;
  summary.pauses = pauses_of(summary.collections);
  summary.kinds = kinds_of(summary.collections);
  summary.processor_ms = processor_ms_of(summary.collections);
  summary.begin_ms = first.number == 1 ? 0 : std::max(in_ms(first.at - first.pause), 0.0);
  summary.end_ms = std::max(in_ms(summary.collections.back().at), summary.begin_ms);
  // The pauses are at most all of the time, even in a wrong log.
  const double time = std::max(summary.end_ms - summary.begin_ms, summary.pauses.total_ms);
  if (time > 0) summary.paused_percent = 100 * summary.pauses.total_ms / time;
  for (const gc::CollectionRecord& collection : summary.collections) {
    summary.peak_live_bytes = std::max(summary.peak_live_bytes, collection.live_bytes);
    summary.peak_heap_bytes = std::max(summary.peak_heap_bytes, collection.heap_bytes);
  }
}

}  // namespace

PauseFigures pauses_of(std::span<const gc::CollectionRecord> collections) {
  std::vector<double> pauses;
  for (const gc::CollectionRecord& collection : collections) add_pauses(collection, pauses);
  if (pauses.empty()) return {};
  std::sort(pauses.begin(), pauses.end());
  return {.count = pauses.size(),
          .total_ms = std::accumulate(pauses.begin(), pauses.end(), 0.0),
          .p50_ms = percentile(pauses, 0.5),
          .p90_ms = percentile(pauses, 0.9),
          .p99_ms = percentile(pauses, 0.99),
          .longest_ms = pauses.back()};
}

double processor_ms_of(std::span<const gc::CollectionRecord> collections) {
  double ms = 0;
  for (const gc::CollectionRecord& collection : collections) ms += in_ms(collection.processor_time);
  return ms;
}

std::vector<ProcessSummary> summarise_processes(std::span<const gc::CollectionRecord> log) {
  std::vector<ProcessSummary> processes;
  std::map<std::uint32_t, std::size_t> places;  // of the last process with that number
  for (const gc::CollectionRecord& collection : log) {
    const auto [place, is_new] = places.try_emplace(collection.process, processes.size());
    if (!is_new && collection.number <= processes[place->second].collections.back().number)
      place->second = processes.size();
    if (place->second == processes.size()) processes.emplace_back();
    processes[place->second].collections.push_back(collection);
  }
  std::for_each(processes.begin(), processes.end(), finish);
  std::stable_sort(processes.begin(), processes.end(), [](const auto& left, const auto& right) {
    return left.pauses.total_ms > right.pauses.total_ms;
  });
  return processes;
}

}  // namespace jackdaw::tools
