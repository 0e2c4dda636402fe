/* Measures the collections of the program that it is preloaded into, in the same way whichever collector the
   program runs on: with libgc's collection events. For each collection it appends a line to the file that the
   environment names in JACKDAW_CLIENT_COLLECTIONS: process, nanoseconds of pause, nanoseconds of processor
   time in it, nanoseconds in all, live bytes. Before them it writes process, "library" and the file that the
   collector was loaded from; and process, "version" and what GC_get_version tells. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <gc/gc.h>
#include <gc/gc_mark.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Weak: children of the program, such as a linker, get this library too and have no collector. */
#pragma weak GC_get_version
#pragma weak GC_set_on_collection_event
#pragma weak GC_enumerate_reachable_objects_inner

static int lines = -1;

/* Of the collection under way. Whoever collects holds the collector's lock: there is one at a time. */
static int64_t start_ns;
static int64_t stop_ns;
static int64_t stop_processor_ns;
static int64_t pause_ns;
static int64_t pause_processor_ns;
static int64_t counting_ns;
static int64_t counting_processor_ns;
static uint64_t live_bytes;

static int64_t now_on(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t now_ns(void) { return now_on(CLOCK_MONOTONIC); }

/* Of all threads. */
static int64_t processor_ns(void) { return now_on(CLOCK_PROCESS_CPUTIME_ID); }

static void GC_CALLBACK add_bytes(void* object, size_t bytes, void* sum) {
  (void)object;
  *(uint64_t*)sum += bytes;
}

/* With the threads stopped and the marks complete; the time that it takes is not the collector's. */
static void count_live_bytes(void) {
  const int64_t before = now_ns();
  const int64_t processor_before = processor_ns();
  live_bytes = 0;
  GC_enumerate_reachable_objects_inner(add_bytes, &live_bytes);
  counting_processor_ns = processor_ns() - processor_before;
  counting_ns = now_ns() - before;
}

static void write_line(int64_t end_ns) {
  char line[128];
  const int length = snprintf(line, sizeof line, "%ld %lld %lld %lld %llu\n", (long)getpid(),
                              (long long)pause_ns, (long long)pause_processor_ns,
                              (long long)(end_ns - start_ns - counting_ns), (unsigned long long)live_bytes);
  if (write(lines, line, (size_t)length) != length) abort();
}

static void GC_CALLBACK note(GC_EventType event) {
  switch (event) {
    case GC_EVENT_START:
      start_ns = now_ns();
      pause_ns = 0;
      break;
    case GC_EVENT_PRE_STOP_WORLD:
      counting_ns = 0;
      counting_processor_ns = 0;
      stop_processor_ns = processor_ns();
      stop_ns = now_ns();
      break;
    case GC_EVENT_MARK_END:
      count_live_bytes();
      break;
    case GC_EVENT_POST_START_WORLD:
      pause_ns = now_ns() - stop_ns - counting_ns;
      pause_processor_ns = processor_ns() - stop_processor_ns - counting_processor_ns;
      break;
    case GC_EVENT_END:
      if (pause_ns != 0) write_line(now_ns());
      break;
    default:
      break;
  }
}

__attribute__((constructor)) static void start(void) {
  const char* path = getenv("JACKDAW_CLIENT_COLLECTIONS");
  if (path == NULL || GC_set_on_collection_event == NULL) return;
  lines = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (lines < 0) return;
  Dl_info collector;
  if (dladdr(dlsym(RTLD_DEFAULT, "GC_set_on_collection_event"), &collector) != 0)
    dprintf(lines, "%ld library %s\n", (long)getpid(), collector.dli_fname);
  const unsigned version = GC_get_version();
  dprintf(lines, "%ld version %u.%u.%u\n", (long)getpid(), version >> 16, version >> 8 & 0xff,
          version & 0xff);
  GC_set_on_collection_event(note);
}
