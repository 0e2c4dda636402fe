#include "tests/soak/watchdog.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/scaled.h"
#include "tests/soak/tally.h"

namespace jackdaw::soak {

namespace {

constexpr std::chrono::milliseconds kBetweenPolls{250};

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::uint64_t resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::uint64_t mapped = 0;
  std::uint64_t resident = 0;
  statistics >> mapped >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void Watchdog::watch() {
  constexpr seconds kBetweenLines{5};
  Clock::time_point next_line = start_ + kBetweenLines;
  while (!is_over_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(kBetweenPolls);
    const Clock::time_point now = Clock::now();
    check_progress();
    check_memory(now);
    if (now < next_line) continue;
    next_line = now + kBetweenLines;
    if (isatty(STDERR_FILENO) != 0) show_progress(now);
  }
}

void Watchdog::check_progress() {
  constexpr auto kMostLooksWithoutProgress = seconds(60) / kBetweenPolls;
  // Relaxed: a sign of life.
  const std::uint64_t rounds = tally.rounds.load(std::memory_order_relaxed);
  looks_without_progress_ = rounds == last_rounds_ ? looks_without_progress_ + 1 : 0;
  last_rounds_ = rounds;
  if (looks_without_progress_ < kMostLooksWithoutProgress) return;
  std::fprintf(stderr,
               "jackdaw-soak: FAILED: no thread did anything for a minute, after %" PRIu64 " rounds\n",
               rounds);
  std::abort();
}

// A sanitizer's own memory is more than the program's.
void Watchdog::check_memory(Clock::time_point now) const {
  const std::uint64_t resident = resident_bytes();
  raise_to(tally.peak_resident_bytes, resident);
  if (mark::kSanitized || now - start_ < std::min<Clock::duration>(duration_ / 4, seconds(60))) return;
  const std::uint64_t allowed = allowed_bytes();
  check(resident <= allowed, "the process takes more memory than it should", resident, allowed);
}

// Relaxed, all: see Tally.
void Watchdog::show_progress(Clock::time_point now) const {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  std::fprintf(stderr,
               "%5lld s  %" PRIu64 " rounds  %" PRIu64 " threads  %" PRIu64 " MiB live  %" PRIu64
               " MiB resident\n",
               static_cast<long long>(duration_cast<seconds>(now - start_).count()),
               tally.rounds.load(std::memory_order_relaxed), tally.threads.load(std::memory_order_relaxed),
               tally.live_bytes.load(std::memory_order_relaxed) / kMebibyte, resident_bytes() / kMebibyte);
}

}  // namespace jackdaw::soak
