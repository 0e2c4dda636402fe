// Measures how a collector's stalls affect a program: threads keep structures alive, and read, replace and
// allocate at given rates. Every operation is timed, and so is every gap in which a thread did not run. It
// runs with <gc.h>, or with mimalloc and explicit frees (-DALLOCATE_WITH_MIMALLOC) as the bound. README.md
// defines every number it prints.
#define _GNU_SOURCE
#include <pthread.h>
#include "latency/memory.h"  // first: it redirects pthread_create

#include "latency/collector.h"
#include "latency/share.h"

static const char help[] =
    "Usage: latency [options]\n"
    "\n"
    "Keeps structures alive, and reads, replaces and allocates at fixed rates. Prints the times of "
    "operations,\n"
    "stalls and pauses as one line of JSON.\n"
    "\n"
    "  --live-mib N         so much is alive (256)\n"
    "  --structure KIND     list-of-buffers, tree, hash-table, lru-cache, or all in equal shares (the "
    "default)\n"
    "  --threads N          so many threads (1), each with its own share of everything\n"
    "  --seconds N          for so long (20), once all is built\n"
    "  --operations N       so many operations in a second (20000)\n"
    "  --replace-percent P  so much of the structures is replaced in a second (1)\n"
    "  --allocate-mb M      so many megabytes are allocated in a second (50), what is replaced included\n"
    "  --idle               threads sleep until an operation is due; else they read\n"
#ifndef ALLOCATE_WITH_MIMALLOC
    "  --incremental        calls GC_enable_incremental()\n"
#endif
    "  --help               print this\n"
    "\n"
    "Examples: latency --live-mib 1024 --threads 2\n"
    "          latency --structure lru-cache --allocate-mb 200 --idle\n"
    "Exit status: 0, 1 for lost data or no memory, 2 for bad arguments.\n";

static const char* const structures[] = {"list-of-buffers", "tree", "hash-table", "lru-cache", "all", NULL};

static uint64_t live_mib = 256;
static uint64_t structure = kKinds;  // all
static uint64_t threads = 1;
static uint64_t seconds = 20;
static uint64_t operations = 20000;
static uint64_t replace_percent = 1;
static uint64_t allocate_mb = 50;
static uint64_t idle;
static uint64_t incremental;

// ---- one thread
// --------------------------------------------------------------------------------------------------

// The measurements of one thread.
struct Measured {
  struct Stalls stalls;
  struct Histogram service;    // of operations, from their beginning
  struct Histogram since_due;  // from when they were due; those that never began, to the end
  uint64_t reads;
  uint64_t allocated;
  uint64_t processor_time;
};

static struct Work work;
static struct Measured* measured[kMostThreads];  // not in the collector's heap: watch.h
static pthread_barrier_t barrier;
static uint64_t start_time;

static uint64_t thread_processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

// The threads' operations become due in turn.
static uint64_t due_time(uint64_t thread, uint64_t number) {
  return start_time + (uint64_t)((double)(number * threads + thread) * 1e9 / (double)operations);
}

// A thread that wakes up late was stalled since the time that it wanted.
static uint64_t sleep_until(uint64_t time) {
  const struct timespec wanted = {(time_t)(time / 1000000000U), (long)(time % 1000000000U)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wanted, NULL) == EINTR) continue;
  own_stalls->last_reading = time;
  return watch_clock();
}

static uint64_t pass_time(struct Share* share, struct Measured* own, uint64_t until) {
  if (idle) return sleep_until(until);
  read_somewhere(share, &work);
  ++own->reads;
  return watch_clock();
}

static void run_operations(uint64_t thread, struct Measured* own) {
  struct Share* share = &shares[thread];
  const uint64_t finish = start_time + seconds * 1000000000U;
  const uint64_t first_byte = allocated_bytes;
  uint64_t number = 0;
  uint64_t now = watch_clock();
  while (now < finish) {
    const uint64_t due = due_time(thread, number);
    if (now < due) {
      now = pass_time(share, own, due < finish ? due : finish);
      continue;
    }
    operate(share, &work, number, first_byte);
    const uint64_t begun = now;
    now = watch_clock();
    add_number(&own->service, now - begun);
    add_number(&own->since_due, now - due);
    ++number;
  }
  own->reads += own->service.count * kReadsOfOperation;
  own->allocated = allocated_bytes - first_byte;
  for (; due_time(thread, number) < finish; ++number)
    add_number(&own->since_due, now - due_time(thread, number));
}

// ---- all threads
// -------------------------------------------------------------------------------------------------

static uint64_t collections;
static double measured_processor_ms;
static uint64_t preemptions;

static uint64_t preemptions_so_far(void) { return (uint64_t)usage_now().ru_nivcsw; }

static void begin_measuring(void) {
  collections = collections_so_far();
  preemptions = preemptions_so_far();
  measured_processor_ms = processor_ms();
  records_pauses = true;
  start_time = nanoseconds_now() + 10000000U;  // when all threads are awake
}

static void end_measuring(void) {
  records_pauses = false;
  measured_processor_ms = processor_ms() - measured_processor_ms;
  preemptions = preemptions_so_far() - preemptions;
  collections = collections_so_far() - collections;
}

static struct Measured* new_measured(void) {
  struct Measured* own = calloc(1, sizeof *own);
  if (own == NULL) end_with(1, "out of memory");
  return own;
}

static void* run_thread(void* number) {
  const uint64_t thread = (uintptr_t)number;
  struct Measured* own = measured[thread] = new_measured();
  own_stalls = &own->stalls;
  shares[thread].random = mixed(thread, 1);
  build_share(&shares[thread], &work, (live_mib << 20) / threads);
  pthread_barrier_wait(&barrier);
  if (thread == 0) begin_measuring();
  pthread_barrier_wait(&barrier);
  memset(&own->stalls, 0, sizeof own->stalls);
  sleep_until(start_time);
  const uint64_t before = thread_processor_time();
  run_operations(thread, own);
  own->processor_time = thread_processor_time() - before;
  pthread_barrier_wait(&barrier);
  if (thread == 0) end_measuring();
  return NULL;
}

static void run_threads(void) {
  pthread_t others[kMostThreads];
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (uintptr_t i = 1; i < threads; ++i) {
    if (pthread_create(&others[i], NULL, run_thread, (void*)i) != 0) end_with(1, "a thread does not start");
  }
  run_thread(NULL);
  for (uint64_t i = 1; i < threads; ++i) pthread_join(others[i], NULL);
}

// ---- results
// -----------------------------------------------------------------------------------------------------

static double microseconds(uint64_t nanoseconds) { return (double)nanoseconds / 1e3; }

// This is the sum over all threads.
static struct Histogram service;
static struct Histogram since_due;
static struct Histogram stall_lengths;

static void add_up_histograms(void) {
  for (uint64_t i = 0; i < threads; ++i) {
    add_histogram(&service, &measured[i]->service);
    add_histogram(&since_due, &measured[i]->since_due);
    add_histogram(&stall_lengths, &measured[i]->stalls.lengths);
  }
}

static double worst_utilisation_percent(uint64_t window_ms) {
  double least = 100;
  for (uint64_t i = 0; i < threads; ++i) {
    const double own = minimum_utilisation_percent(&measured[i]->stalls, window_ms * 1000000U);
    if (own < least) least = own;
  }
  return least;
}

static void print_operations(void) {
  printf(",\"operations\":%" PRIu64 ",\"operations_not_begun\":%" PRIu64
         ",\"p50_us\":%.3f,\"p99_us\":%.3f,\"p99_9_us\":%.3f,\"max_us\":%.3f",
         service.count, since_due.count - service.count, microseconds(percentile(&service, 50)),
         microseconds(percentile(&service, 99)), microseconds(percentile(&service, 99.9)),
         microseconds(service.largest));
  printf(",\"due_p50_us\":%.3f,\"due_p99_us\":%.3f,\"due_p99_9_us\":%.3f,\"due_max_us\":%.3f",
         microseconds(percentile(&since_due, 50)), microseconds(percentile(&since_due, 99)),
         microseconds(percentile(&since_due, 99.9)), microseconds(since_due.largest));
}

static void print_stalls(void) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < threads; ++i) kept += measured[i]->stalls.kept_count;
  printf(",\"stalls\":%" PRIu64 ",\"stalls_left_out\":%" PRIu64
         ",\"stall_p99_ms\":%.3f,\"longest_stall_ms\":%.3f,\"all_stalls_ms\":%.3f",
         stall_lengths.count, stall_lengths.count - kept, milliseconds(percentile(&stall_lengths, 99)),
         milliseconds(stall_lengths.largest), milliseconds(stall_lengths.sum));
  printf(",\"mmu_1ms_percent\":%.3f,\"mmu_10ms_percent\":%.3f,\"mmu_100ms_percent\":%.3f",
         worst_utilisation_percent(1), worst_utilisation_percent(10), worst_utilisation_percent(100));
}

static void print_pauses(void) {
  printf(",\"collections\":%" PRIu64 ",\"pauses\":%" PRIu64
         ",\"pause_p50_ms\":%.3f,\"pause_p90_ms\":%.3f,\"pause_p99_ms\":%.3f,\"longest_pause_ms\":%.3f"
         ",\"all_pauses_ms\":%.3f",
         collections, pauses.count, milliseconds(percentile(&pauses, 50)),
         milliseconds(percentile(&pauses, 90)), milliseconds(percentile(&pauses, 99)),
         milliseconds(pauses.largest), milliseconds(pauses.sum));
}

static void print_rates(void) {
  uint64_t reads = 0;
  uint64_t replaced = 0;
  uint64_t allocated = 0;
  uint64_t processor_time = 0;
  for (uint64_t i = 0; i < threads; ++i) {
    reads += measured[i]->reads;
    for (int kind = 0; kind < kKinds; ++kind) replaced += shares[i].replaced_bytes[kind];
    allocated += measured[i]->allocated;
    processor_time += measured[i]->processor_time;
  }
  printf(",\"reads_per_second\":%.0f,\"replaced_mb_per_second\":%.3f,\"allocated_mb_per_second\":%.3f",
         (double)reads / (double)seconds, (double)replaced / (double)seconds / 1e6,
         (double)allocated / (double)seconds / 1e6);
  printf(",\"processor_ms\":%.3f,\"program_processor_ms\":%.3f,\"preemptions\":%" PRIu64,
         measured_processor_ms, milliseconds(processor_time), preemptions);
}

static void print_results(void) {
  uint64_t live_bytes = 0;
  for (uint64_t i = 0; i < threads; ++i) live_bytes += shares[i].live_bytes;
  add_up_histograms();
  printf("{\"program\":\"latency\",\"structure\":\"%s\",\"threads\":%" PRIu64 ",\"seconds\":%" PRIu64
         ",\"waiting\":\"%s\"",
         structures[structure], threads, seconds, idle ? "idle" : "reading");
  print_operations();
  print_stalls();
  print_pauses();
  print_rates();
  print_collector();
  printf(",\"live_mib\":%.3f,\"peak_resident_mib\":%.3f}\n", (double)live_bytes / 1048576,
         peak_resident_mib());
}

// ---- the program
// -------------------------------------------------------------------------------------------------

static void divide_work(void) {
  const double operations_of_thread = (double)operations / (double)threads;
  const double bytes_of_thread = (double)(live_mib << 20) / (double)threads;
  work.first_kind = structure == kKinds ? 0 : structure;
  work.kind_count = structure == kKinds ? kKinds : 1;
  work.replaced_bytes =
      bytes_of_thread / (double)work.kind_count * (double)replace_percent / 100 / operations_of_thread;
  work.allocated_bytes = (double)allocate_mb * 1e6 / (double)operations;
}

int main(int argc, char** argv) {
  (void)argc;
  program_name = "latency";
  const struct Option options[] = {
      {"--live-mib", &live_mib, 1, 1048576, NULL},
      {"--structure", &structure, 0, 0, structures},
      {"--threads", &threads, 1, kMostThreads, NULL},
      {"--seconds", &seconds, 1, 86400, NULL},
      {"--operations", &operations, 1, 10000000, NULL},
      {"--replace-percent", &replace_percent, 0, 10000, NULL},
      {"--allocate-mb", &allocate_mb, 0, 1000000, NULL},
      {"--idle", &idle, 0, 0, NULL},
#ifndef ALLOCATE_WITH_MIMALLOC
      {"--incremental", &incremental, 0, 0, NULL},
#endif
  };
  parse_options(argv, options, sizeof options / sizeof options[0], help);
  divide_work();
  start_collector(incremental != 0);
  run_threads();
  print_results();
  return fflush(stdout) == 0 ? 0 : 1;
}
