#include "bench/limit/limit_experiment.h"

#include <chrono>
#include <deque>

#include "bench/mark/bounds.h"
#include "tools/command/median.h"
#include "tools/command/progress.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

// Returns the settings of one piece of memory: each order with each number of threads.
std::vector<LimitResult> settings_of(const LineMemory& memory, PageKind pages,
                                     const std::deque<mark::ThreadPool>& pools) {
  std::vector<LimitResult> results;
  for (const auto& [name, order] : kReadOrders) {
    for (const mark::ThreadPool& pool : pools) {
      LimitResult result;
      result.bytes = memory.bytes();
      result.pages = pages;
      result.bytes_on_huge_pages = memory.bytes_on_huge_pages();
      result.order = order;
      result.threads = pool.size();
      results.push_back(std::move(result));
    }
  }
  return results;
}

// Measures each setting once; `results` are in the order of settings_of(). Calls `step()` after each.
template <typename Step>
void measure_once(const LineMemory& memory, std::uint64_t seed, std::deque<mark::ThreadPool>& pools,
                  std::vector<LimitResult>& results, Step step) {
  auto result = results.begin();
  for (const auto& [name, order] : kReadOrders) {
    for (mark::ThreadPool& pool : pools) {
      const std::chrono::duration<double, std::nano> time =
          read_lines(memory, order, memory.lines(), seed, pool);
      result->runs.push_back(time.count() / static_cast<double>(memory.lines()));
      ++result;
      step();
    }
  }
}

}  // namespace

std::vector<LimitResult> measure_limit(const LimitOptions& options) {
  tools::Progress progress("reading memory");
  std::deque<mark::ThreadPool> pools;
  for (const std::uint32_t threads : worker_counts(options.threads)) pools.emplace_back(threads);
  std::vector<LimitResult> all;
  std::uint64_t done = 0;
  const std::uint64_t readings =
      options.megabytes.size() * kPageKinds.size() * options.repeat * kReadOrders.size() * pools.size();
  for (const std::uint64_t megabytes : options.megabytes) {
    for (const auto& [name, pages] : kPageKinds) {
      const LineMemory memory(megabytes * kMegabyte, pages);
      std::vector<LimitResult> results = settings_of(memory, pages, pools);
      for (std::uint32_t pass = 0; pass < options.repeat; ++pass) {
        measure_once(memory, options.seed + pass, pools, results, [&] { progress.step(++done, readings); });
      }
      for (LimitResult& result : results) {
        result.ns_per_line = tools::median_of(result.runs);
        all.push_back(std::move(result));
      }
    }
  }
  return all;
}

}  // namespace jackdaw::bench
