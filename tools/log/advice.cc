#include "tools/log/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

#include "tools/command/median.h"

namespace jackdaw::tools {

namespace {

using std::chrono::nanoseconds;

// Less than these is not worth a change.
constexpr std::size_t kFewestCollections = 10;
constexpr double kLeastPausedPercent = 5;
constexpr nanoseconds kLongPause = std::chrono::milliseconds(10);
constexpr std::size_t kFewestLongPauses = 3;
// This percentage of the pauses' time counts as most of it.
constexpr double kMostPercent = 80;
// More threads do not speed up a marking that takes less time.
constexpr double kLeastSharedMs = 1;
constexpr std::uint32_t kMostMarkers = 64;
// A heap up to this size may become four times as large at little cost.
constexpr std::uint64_t kSmallHeapBytes = std::uint64_t{64} << 20;
// Below this time the new memory's page faults would cost more than the collections did.
constexpr double kLeastTimeMs = 1000;

// Returns the collections for which the predicate is true.
template <typename Predicate>
std::vector<gc::CollectionRecord> those(const ProcessSummary& process, Predicate predicate) {
  std::vector<gc::CollectionRecord> found;
  std::copy_if(process.collections.begin(), process.collections.end(), std::back_inserter(found), predicate);
  return found;
}

// Returns the percentage of all pauses' time that these collections took.
double percent_of_pauses(const ProcessSummary& process, const std::vector<gc::CollectionRecord>& part) {
  return process.pauses.total_ms > 0 ? 100 * pauses_of(part).total_ms / process.pauses.total_ms : 0;
}

// Returns the long stop-the-world collections.
std::vector<gc::CollectionRecord> long_stopping(const ProcessSummary& process) {
  return those(process, [](const gc::CollectionRecord& collection) {
    return !collection.concurrent && collection.pause >= kLongPause;
  });
}

std::optional<Advice> more_markers(const ProcessSummary& process, const ProgramMachine& machine) {
  const std::uint32_t markers = process.collections.back().markers;
  const std::uint32_t better = std::min(machine.processors, kMostMarkers);
  const auto wide = those(process, [markers](const gc::CollectionRecord& collection) {
    return !collection.concurrent && collection.mark_threads >= markers;
  });
  const double percent = percent_of_pauses(process, wide);
  const bool is_slow =
      process.paused_percent >= kLeastPausedPercent || long_stopping(process).size() >= kFewestLongPauses;
  if (!is_slow || markers >= better || percent < kMostPercent || pauses_of(wide).p50_ms < kLeastSharedMs)
    return std::nullopt;
  return Advice{
      fmt::format("JACKDAW_MARKERS={}", better),
      fmt::format("every one of {} mark threads had work in {:.0f} % of the pauses' time; {} can run at once",
                  markers, percent, better)};
}

// Returns the median of the MiB allocated between collections.
double median_allocated_mib(const ProcessSummary& process) {
  std::vector<double> allocated;
  std::uint64_t live = 0;
  for (const gc::CollectionRecord& collection : process.collections) {
    allocated.push_back(
        static_cast<double>(collection.used_bytes_before - std::min(live, collection.used_bytes_before)));
    live = collection.live_bytes;
  }
  return median_of(std::move(allocated)) / (1 << 20);
}

double median_live_mib(const ProcessSummary& process) {
  std::vector<double> live;
  for (const gc::CollectionRecord& collection : process.collections)
    live.push_back(static_cast<double>(collection.live_bytes));
  return median_of(std::move(live)) / (1 << 20);
}

std::optional<Advice> bigger_budget(const ProcessSummary& process) {
  const auto due = those(process, [](const gc::CollectionRecord& collection) {
    return collection.reason == gc::CollectionReason::allocation;
  });
  const double percent = percent_of_pauses(process, due);
  if (process.paused_percent < kLeastPausedPercent || percent < kMostPercent) return std::nullopt;
  const double allocated = median_allocated_mib(process);
  const double live = median_live_mib(process);
  const std::string reason = fmt::format(
      "pauses take {:.1f} % of the time, {:.0f} % of that because the budget was used up: {:.1f} MiB are "
      "allocated between collections and {:.1f} MiB live, at the median",
      process.paused_percent, percent, allocated, live);
  if (process.peak_heap_bytes <= kSmallHeapBytes) {
    if (process.end_ms - process.begin_ms < kLeastTimeMs) return std::nullopt;
    const std::uint64_t bytes = std::bit_ceil(std::max(4 * process.peak_heap_bytes, std::uint64_t{1} << 20));
    return Advice{fmt::format("JACKDAW_INITIAL_HEAP_SIZE={}m", bytes >> 20), reason};
  }
  // The program has a larger budget already.
  if (allocated >= live) return std::nullopt;
  return Advice{"JACKDAW_FREE_SPACE_DIVISOR=1", reason};
}

std::optional<Advice> fewer_bytes_per_finalizer(const ProcessSummary& process) {
  const auto due = those(process, [](const gc::CollectionRecord& collection) {
    return collection.reason == gc::CollectionReason::finalizers;
  });
  const double percent = percent_of_pauses(process, due);
  if (process.paused_percent < kLeastPausedPercent || percent < kMostPercent) return std::nullopt;
  return Advice{"JACKDAW_BYTES_PER_FINALIZER=1000",
                fmt::format("pauses take {:.1f} % of the time, {:.0f} % of that because many finalizers were "
                            "registered for the bytes allocated",
                            process.paused_percent, percent)};
}

std::optional<Advice> concurrent_mode(const ProcessSummary& process, const ProgramMachine& machine) {
  const auto concurrent = those(
      process, [](const gc::CollectionRecord& collection) { return collection.concurrent.has_value(); });
  auto slow = long_stopping(process);
  std::erase_if(slow, [](const gc::CollectionRecord& collection) {
    return collection.reason != gc::CollectionReason::allocation;
  });
  if (!concurrent.empty() || slow.size() < kFewestLongPauses || machine.processors < 2 ||
      !machine.tracks_writes)
    return std::nullopt;
  return Advice{"JACKDAW_CONCURRENT=1",
                fmt::format("{} of {} collections stopped the program for 10 ms or longer, at most {:.1f} ms",
                            slow.size(), process.collections.size(), pauses_of(slow).longest_ms)};
}

// Returns the reason why a larger budget is no advice for a process that collects because it was used up.
std::string why_no_bigger_budget(const ProcessSummary& process) {
  if (process.peak_heap_bytes <= kSmallHeapBytes)
    return "the process ran for less than a second, in which a larger heap's page faults cost as much";
  return fmt::format(
      "it is large already: {:.1f} MiB are allocated between collections and {:.1f} MiB live, at the "
      "median",
      median_allocated_mib(process), median_live_mib(process));
}

const char* cause_of(gc::CollectionReason reason) {
  switch (reason) {
    case gc::CollectionReason::request:
      return "the program asks for them (GC_gcollect), which only the program can change";
    case gc::CollectionReason::out_of_memory:
      return "memory ran out, which a higher limit would change";
    case gc::CollectionReason::finalizers:
      return "many finalizers were registered";
    case gc::CollectionReason::pressure:
      return "processes had to wait for memory, of which there is too little";
    case gc::CollectionReason::allocation:
      break;
  }
  return "the budget was used up";
}

}  // namespace

std::string why_no_advice(const ProcessSummary& process, const ProgramMachine& machine) {
  if (process.collections.size() < kFewestCollections)
    return fmt::format("it needs {} collections, and there are {}", kFewestCollections,
                       process.collections.size());
  if (process.paused_percent < kLeastPausedPercent)
    return fmt::format("pauses take {:.1f} % of the time, which leaves little to gain",
                       process.paused_percent);
  const auto kind = std::ranges::max_element(
      process.kinds, {}, [](const ProcessSummary::Kind& one) { return one.pauses.total_ms; });
  const double percent = 100 * kind->pauses.total_ms / process.pauses.total_ms;
  const bool uses_budget_up = kind->reason == gc::CollectionReason::allocation && percent >= kMostPercent;
  return fmt::format(
      "pauses take {:.1f} % of the time, {:.0f} % of that because {}; {} of {} processors mark, at most",
      process.paused_percent, percent,
      uses_budget_up ? "the budget was used up, and " + why_no_bigger_budget(process)
                     : cause_of(kind->reason),
      std::min(process.collections.back().markers, machine.processors), machine.processors);
}

std::vector<Advice> advise(const ProcessSummary& process, const ProgramMachine& machine) {
  if (process.collections.size() < kFewestCollections) return {};
  std::vector<Advice> advice;
  for (std::optional<Advice> found :
       {more_markers(process, machine), bigger_budget(process), fewer_bytes_per_finalizer(process),
        concurrent_mode(process, machine)}) {
    if (found) advice.push_back(*std::move(found));
  }
  return advice;
}

}  // namespace jackdaw::tools
