// The clock that a thread reads in its loop, and the stalls that it finds. Work on a structure that takes
// more than a few microseconds calls watch_clock() in between.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_WATCH_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_WATCH_H

#include "../program.h"
#include "stalls.h"

// The thread's own stalls lie neither in the collector's heap nor in static data, where times could be taken
// for addresses.
static _Thread_local struct Stalls* own_stalls;

static inline uint64_t watch_clock(void) {
  const uint64_t now = nanoseconds_now();
  note_reading(own_stalls, now);
  return now;
}

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_WATCH_H
