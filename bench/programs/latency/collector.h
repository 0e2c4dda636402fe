// The collector's own report: when it stops the threads, how often it collected, and the size of its heap.
// With mimalloc there is none.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_COLLECTOR_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_COLLECTOR_H

#include "../histogram.h"
#include "memory.h"

// Pauses last from the first thread's stop to the last one's resumption, while `records_pauses`. The
// collector sends its events under its lock.
static struct Histogram pauses;
static _Atomic bool records_pauses;

#ifdef ALLOCATE_WITH_MIMALLOC

static void start_collector(bool incremental) { (void)incremental; }
static uint64_t collections_so_far(void) { return 0; }
static void print_collector(void) {}

#else

static void GC_CALLBACK on_event(GC_EventType event) {
  static uint64_t stopped_since;  // 0: not stopped
  if (event == GC_EVENT_PRE_STOP_WORLD) {
    stopped_since = records_pauses ? nanoseconds_now() : 0;
  } else if (event == GC_EVENT_POST_START_WORLD && stopped_since != 0) {
    add_number(&pauses, nanoseconds_now() - stopped_since);
    stopped_since = 0;
  }
}

static void start_collector(bool incremental) {
  GC_INIT();
  if (incremental) GC_enable_incremental();
  GC_start_mark_threads();  // they would start with the program's second thread
  GC_set_on_collection_event(on_event);
}

static uint64_t collections_so_far(void) { return GC_get_gc_no(); }

static void print_collector(void) {
  printf(",\"incremental\":\"%s\",\"markers\":%d,\"heap_mib\":%.3f", GC_is_incremental_mode() ? "yes" : "no",
         GC_get_parallel() + 1, (double)GC_get_heap_size() / 1048576);
  print_gc_version(GC_get_version());
}

#endif

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_COLLECTOR_H
