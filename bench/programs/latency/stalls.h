// Stalls as a thread sees them: it reads the clock every few microseconds. If two consecutive readings are
// much further apart, something kept it from running: the collector, another thread that it waited for, or
// the operating system. NOLINTBEGIN(modernize-use-nullptr, readability-identifier-naming): this is C, too
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_STALLS_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_STALLS_H

#include <stdint.h>

#include "../histogram.h"

enum { kLeastStall = 100000, kMostKept = 1 << 16 };  // nanoseconds; for each thread

struct Stall {
  uint64_t start;
  uint64_t end;
};

// The stalls of one thread, in order. `kept` are those for utilisation(); `lengths` has all.
struct Stalls {
  uint64_t last_reading;
  uint64_t kept_count;
  struct Stall kept[kMostKept];
  struct Histogram lengths;
};

static inline void note_reading(struct Stalls* stalls, uint64_t now) {
  const uint64_t length = now - stalls->last_reading;
  if (length > kLeastStall) {
    const struct Stall stall = {stalls->last_reading, now};
    if (stalls->kept_count < kMostKept) stalls->kept[stalls->kept_count++] = stall;
    add_number(&stalls->lengths, length);
  }
  stalls->last_reading = now;
}

// Returns how much of the stall lies in the window from `start` to `end`.
static inline uint64_t overlap(const struct Stall* stall, uint64_t start, uint64_t end) {
  const uint64_t from = stall->start > start ? stall->start : start;
  const uint64_t to = stall->end < end ? stall->end : end;
  return from < to ? to - from : 0;
}

// Returns the most stalled time in any window of this length. One of the worst windows begins where a stall
// begins, or ends where one ends: moving any other one in one of the two directions does not improve it.
static inline uint64_t most_stalled(const struct Stalls* stalls, uint64_t window) {
  uint64_t most = 0;
  for (uint64_t i = 0; i < stalls->kept_count; ++i) {
    const uint64_t start = stalls->kept[i].start;
    const uint64_t end = stalls->kept[i].end;
    uint64_t after = 0;
    uint64_t before = 0;
    for (uint64_t j = i; j < stalls->kept_count && stalls->kept[j].start < start + window; ++j)
      after += overlap(&stalls->kept[j], start, start + window);
    for (uint64_t j = i + 1; j > 0 && stalls->kept[j - 1].end + window > end; --j)
      before += overlap(&stalls->kept[j - 1], end > window ? end - window : 0, end);
    if (after > most) most = after;
    if (before > most) most = before;
  }
  return most;
}

// Returns the thread's minimum mutator utilisation: the least percentage of a window in which it ran.
static inline double minimum_utilisation_percent(const struct Stalls* stalls, uint64_t window) {
  return 100 * (1 - (double)most_stalled(stalls, window) / (double)window);
}

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_STALLS_H
// NOLINTEND(modernize-use-nullptr, readability-identifier-naming)
