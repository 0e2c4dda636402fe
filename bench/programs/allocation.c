// Allocation alone: the time to allocate an object of 16 to 256 bytes that is dropped at once. With <gc.h>
// the collector finds the garbage, or the program frees every object; compiled with -DALLOCATE_WITH_MIMALLOC
// the program always does.
// README.md defines every number that it prints.
#define _GNU_SOURCE
#ifdef ALLOCATE_WITH_MIMALLOC
#include <mimalloc.h>
#else
#define GC_THREADS
#include <gc.h>
#endif
#include <pthread.h>

#include "program.h"

// clang-format off
#define COMMON_OPTIONS \
  "  --bytes N|mix         the size of an object (64), from 8 to 4096 bytes; mix: multiples of 16 up to 256,\n" \
  "                        the smaller the more often, so that each size has the same share of the bytes\n" \
  "  --threads N           so many threads (1) allocate\n" \
  "  --objects M           so many objects (10000000) for each thread\n"
// clang-format on

enum {
  kMostThreads = 256,
  kLeastBytes = 8,
  kMostBytes = 4096,
  kSizes = 1024,            // a power of two
  kBatch = 1000,            // objects that --mode batches frees together
  kRoundBytes = 128 << 20,  // the most that a thread allocates between two collections with --collections off
  kRehearsalObjects = 1000000
};

static uint64_t bytes = 64;
static uint64_t threads = 1;
static uint64_t objects = 10000000;
static uint64_t mode = 0;

// These are the sizes of a thread's objects, used in turn.
static uint16_t sizes[kSizes];

static size_t size_at(uint64_t index) { return sizes[index & (kSizes - 1)]; }

// Does the least that a program does with a new object. It is volatile, or the compiler would remove the
// write.
static void use(void* object, uint64_t index) {
  if (object == NULL) end_with(1, "out of memory");
  *(volatile uint64_t*)object = index;
}

static void* new_object(size_t size);
static void free_object(void* object);

// ---- what allocates
// ------------------------------------------------------------------------------------------

// Allocates objects and returns how many nanoseconds it took.
typedef uint64_t Allocate(uint64_t count);

static uint64_t allocate_in_pairs(uint64_t count) {
  const uint64_t start = nanoseconds_now();
  for (uint64_t i = 0; i < count; ++i) {
    void* object = new_object(size_at(i));
    use(object, i);
    free_object(object);
  }
  return nanoseconds_now() - start;
}

static uint64_t allocate_in_batches(uint64_t count) {
  void* batch[kBatch];
  const uint64_t start = nanoseconds_now();
  for (uint64_t done = 0; done < count;) {
    const uint64_t length = count - done < kBatch ? count - done : kBatch;
    for (uint64_t i = 0; i < length; ++i) {
      batch[i] = new_object(size_at(done + i));
      use(batch[i], i);
    }
    for (uint64_t i = 0; i < length; ++i) free_object(batch[i]);
    done += length;
  }
  return nanoseconds_now() - start;
}

#ifdef ALLOCATE_WITH_MIMALLOC

static const char help[] =
    "Usage: allocation [options]\n"
    "\n"
    "Allocates objects with mimalloc, frees them, and prints the time for each as one line of JSON.\n"
    "\n" COMMON_OPTIONS
    "  --mode MODE           pairs: each object is freed before the next is allocated (the default);\n"
    "                        batches: 1000 are allocated, then freed in the same order\n"
    "  --zeroed no|yes       yes: mi_zalloc instead of mi_malloc (no)\n"
    "  --help                print this\n"
    "\n"
    "Example: allocation --bytes 64 --mode batches\n"
    "Exit status: 0, 1 for no memory, 2 for bad arguments.\n";

static const char* const modes[] = {"pairs", "batches", NULL};
static const char* const no_or_yes[] = {"no", "yes", NULL};
static uint64_t zeroed = 0;

static const struct Option own_option = {"--zeroed", &zeroed, 0, 0, no_or_yes};

static void* new_object(size_t size) { return zeroed ? mi_zalloc(size) : mi_malloc(size); }
static void free_object(void* object) { mi_free(object); }

static Allocate* const allocators[] = {allocate_in_pairs, allocate_in_batches};

static void start_allocator(void) {}
static void before_round(void) {}
static void after_round(void) {}
static uint64_t objects_in_round(void) { return objects; }
static uint64_t objects_in_rehearsal(void) { return kRehearsalObjects; }
static uint64_t collections(void) { return 0; }
static void print_own(void) { printf(",\"zeroed\":\"%s\"", no_or_yes[zeroed]); }

#else

static const char help[] =
    "Usage: allocation [options]\n"
    "\n"
    "Allocates objects, drops or frees them at once, and prints the time for each as one line of JSON.\n"
    "\n" COMMON_OPTIONS
    "  --mode MODE           traced: GC_MALLOC (the default); atomic: GC_MALLOC_ATOMIC, for data alone;\n"
    "                        pairs: GC_MALLOC, and GC_FREE before the next; batches: 1000 are allocated,\n"
    "                        then freed in the same order\n"
    "  --collections on|off  on: the collector runs when it likes (the default); off: only between rounds\n"
    "                        of 128 MiB for each thread, off the clock\n"
    "  --heap MIB            begin with a heap of so many MiB; 0 (the default): as the collector likes\n"
    "  --help                print this\n"
    "\n"
    "Example: allocation --bytes 64 --threads 2 --collections off\n"
    "Exit status: 0, 1 for no memory, 2 for bad arguments.\n";

static const char* const modes[] = {"traced", "atomic", "pairs", "batches", NULL};
static const char* const on_or_off[] = {"on", "off", NULL};
static uint64_t off = 0;
static uint64_t heap_mib = 0;

static const struct Option own_option = {"--collections", &off, 0, 0, on_or_off};

static uint64_t allocate_traced(uint64_t count) {
  const uint64_t start = nanoseconds_now();
  for (uint64_t i = 0; i < count; ++i) use(GC_MALLOC(size_at(i)), i);
  return nanoseconds_now() - start;
}

static uint64_t allocate_atomic(uint64_t count) {
  const uint64_t start = nanoseconds_now();
  for (uint64_t i = 0; i < count; ++i) use(GC_MALLOC_ATOMIC(size_at(i)), i);
  return nanoseconds_now() - start;
}

static void* new_object(size_t size) { return GC_MALLOC(size); }
static void free_object(void* object) { GC_FREE(object); }

static Allocate* const allocators[] = {allocate_traced, allocate_atomic, allocate_in_pairs,
                                       allocate_in_batches};

static void start_allocator(void) {
  GC_INIT();
  GC_start_mark_threads();  // they would start with the program's second thread
  if (heap_mib != 0 && !GC_expand_hp((size_t)heap_mib << 20)) end_with(1, "no memory for the heap of --heap");
}

static void before_round(void) {
  if (!off) return;
  GC_gcollect();
  GC_disable();
}

static void after_round(void) {
  if (off) GC_enable();
}

static uint64_t objects_in_round(void) {
  const uint64_t most = kRoundBytes / (bytes != 0 ? bytes : 256);
  return off && most < objects ? most : objects;
}

// Returns enough objects to write to all of the heap that the rounds will use.
static uint64_t objects_in_rehearsal(void) {
  if (off) return objects_in_round();
  const uint64_t to_fill_heap = (heap_mib << 20) / (bytes != 0 ? bytes : 16);
  return to_fill_heap > kRehearsalObjects ? to_fill_heap : kRehearsalObjects;
}

static uint64_t collections(void) { return GC_get_gc_no(); }
static void print_own(void) {
  printf(",\"collecting\":\"%s\",\"start_heap_mib\":%" PRIu64, on_or_off[off], heap_mib);
  print_gc_version(GC_get_version());
}

#endif

// ---- rounds
// --------------------------------------------------------------------------------------------------

// All threads go through the same rounds together. The first round is a rehearsal, which makes the heap as
// large as the others need it. The clock runs only between the two barriers of a round.
static pthread_barrier_t barrier;
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t nanoseconds_in_all;
static uint64_t collections_in_all;
static uint64_t page_faults_in_all;

static uint64_t page_faults(void) { return (uint64_t)usage_now().ru_minflt; }

static void wait_for_others(void) { pthread_barrier_wait(&barrier); }

// The first thread measures for all.
static uint64_t run_round(uint64_t count, bool first, bool counts) {
  uint64_t collections_before = 0;
  uint64_t faults_before = 0;
  if (first) {
    before_round();
    collections_before = collections();
    faults_before = page_faults();
  }
  wait_for_others();
  const uint64_t nanoseconds = allocators[mode](count);
  wait_for_others();
  if (!first) return nanoseconds;
  if (counts) {
    collections_in_all += collections() - collections_before;
    page_faults_in_all += page_faults() - faults_before;
  }
  after_round();
  return nanoseconds;
}

static void run_rounds(bool first) {
  const uint64_t whole_round = objects_in_round();
  run_round(objects_in_rehearsal(), first, false);
  uint64_t nanoseconds = 0;
  for (uint64_t done = 0; done < objects;) {
    const uint64_t count = objects - done < whole_round ? objects - done : whole_round;
    nanoseconds += run_round(count, first, true);
    done += count;
  }
  pthread_mutex_lock(&sum_lock);
  nanoseconds_in_all += nanoseconds;
  pthread_mutex_unlock(&sum_lock);
}

static void* run_other_thread(void* unused) {
  run_rounds(false);
  return unused;
}

static void run_threads(void) {
  pthread_t others[kMostThreads];
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (uint64_t i = 1; i < threads; ++i) {
    if (pthread_create(&others[i], NULL, run_other_thread, NULL) != 0) end_with(1, "a thread does not start");
  }
  run_rounds(true);
  for (uint64_t i = 1; i < threads; ++i) pthread_join(others[i], NULL);
}

// ---- the program
// ---------------------------------------------------------------------------------------------

// The sizes are 16, 32, ... 256, and size s is drawn with a probability in proportion to 1 / s.
static uint16_t mixed_size(uint64_t* state) {
  double sum = 0;
  for (int step = 1; step <= 16; ++step) sum += 1.0 / step;
  double left = (double)(next_random(state) >> 11) / 9007199254740992.0 * sum;
  int step = 1;
  while (step < 16 && left >= 1.0 / step) left -= 1.0 / step++;
  return (uint16_t)(16 * step);
}

static void choose_sizes(void) {
  uint64_t state = 88172645463325252U;
  for (size_t i = 0; i < kSizes; ++i) sizes[i] = bytes != 0 ? (uint16_t)bytes : mixed_size(&state);
}

static void print_results(void) {
  printf("{\"program\":\"allocation\",\"mode\":\"%s\",\"bytes\":", modes[mode]);
  printf(bytes != 0 ? "%" PRIu64 : "\"mix\"", bytes);
  printf(",\"threads\":%" PRIu64 ",\"objects\":%" PRIu64, threads, objects);
  print_own();
  printf(",\"ns_per_object\":%.3f,\"collections\":%" PRIu64 ",\"page_faults\":%" PRIu64
         ",\"peak_resident_mib\":%.3f}\n",
         (double)nanoseconds_in_all / (double)threads / (double)objects, collections_in_all,
         page_faults_in_all, peak_resident_mib());
}

int main(int argc, char** argv) {
  static const char* const mix[] = {"mix", NULL};
  (void)argc;
  program_name = "allocation";
  const struct Option options[] = {
      {"--bytes", &bytes, kLeastBytes, kMostBytes, mix},
      {"--threads", &threads, 1, kMostThreads, NULL},
      {"--objects", &objects, 1, 1000000000000, NULL},
      {"--mode", &mode, 0, 0, modes},
      own_option,
#ifndef ALLOCATE_WITH_MIMALLOC
      {"--heap", &heap_mib, 0, 1048576, NULL},
#endif
  };
  parse_options(argv, options, sizeof options / sizeof options[0], help);
  choose_sizes();
  start_allocator();
  run_threads();
  print_results();
  return fflush(stdout) == 0 ? 0 : 1;
}
