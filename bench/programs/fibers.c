// Measures what many idle fibers cost: how long collections stop a program with references in all of their
// stacks, and how long a switch takes. Runs with Jackdaw's registered stacks, or with what programs do with
// libgc: a callback that pushes all stacks, and GC_set_stackbottom at each switch. README.md defines every
// number that it prints.
#define _GNU_SOURCE
#define GC_THREADS
#include <gc.h>
#if __has_include(<gc_mark.h>)
#include <gc_mark.h>
#else  // Debian installs libgc's in a folder
#include <gc/gc_mark.h>
#endif
#include <sys/mman.h>
#ifdef JACKDAW_GC
#include <jackdaw/stacks.h>
#endif

#include "histogram.h"
#include "program.h"

#ifndef __x86_64__
#error "the switch is written for x86-64"
#endif

static const char help[] =
    "Usage: fibers [options]\n"
    "\n"
    "Makes fibers that wait, with a reference in each frame, then allocates and lets some run. Prints the\n"
    "times of pauses and switches as one line of JSON.\n"
    "\n"
    "  --fibers N        so many fibers (100000)\n"
    "  --frames N        so many frames (20) on each stack\n"
    "  --stack-kib N     the length of a stack (64)\n"
    "  --seconds N       for so long (5), once all wait\n"
    "  --run N           so many fibers (1000) run in a second, one after the other\n"
    "  --method METHOD   pushed: a callback pushes all stacks (the default)"
#ifdef JACKDAW_GC
    ";\n                    registered: the collector knows the stacks"
#endif
    "\n"
    "  --incremental     calls GC_enable_incremental()\n"
    "  --help            print this\n"
    "\n"
    "Example: fibers --fibers 10000 --incremental\n"
    "Exit status: 0, 1 for lost data or no memory, 2 for bad arguments.\n";

static const char* const methods[] = {"pushed",
#ifdef JACKDAW_GC
                                      "registered",
#endif
                                      NULL};

static uint64_t fibers = 100000;
static uint64_t frames = 20;
static uint64_t stack_kib = 64;
static uint64_t seconds = 5;
static uint64_t run = 1000;
static uint64_t method;
static uint64_t incremental;

// ---- Fibers
// -------------------------------------------------------------------------------------------------

struct Fiber {
  void* saved;  // the stack pointer while it waits
  char* low;
  char* high;
};

static struct Fiber* all;  // not in the collector's heap
static struct Fiber main_fiber;
static struct Fiber* current = &main_fiber;

// Saves the registers that a call keeps on the stack, and its pointer in *from; then does the reverse.
void switch_stacks(void** from, void* const* to);
__asm__(
    ".text\n"
    "switch_stacks:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq (%rsi), %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n");

// libgc's documentation asks for the lock.
static void set_stack_bottom(const struct Fiber* next) {
  struct GC_stack_base base = {.mem_base = next->high};
  GC_alloc_lock();
  current = (struct Fiber*)next;
  GC_set_stackbottom(NULL, &base);
  GC_alloc_unlock();
}

static void switch_fibers(struct Fiber* from, struct Fiber* to) {
  if (method == 0) set_stack_bottom(to);
  switch_stacks(&from->saved, &to->saved);
}

static void push(const struct Fiber* fiber) {
  if (fiber != current) GC_push_all_eager(fiber->saved, fiber->high);
}

static GC_push_other_roots_proc push_others;  // the threads' stacks, in libgc

static void GC_CALLBACK push_stacks(void) {
  push_others();
  for (uint64_t i = 0; i < fibers; ++i) push(&all[i]);
  push(&main_fiber);
}

// ---- What they do
// -------------------------------------------------------------------------------------------

static void (*measured_switch)(struct Fiber*, struct Fiber*);  // null: the fibers do their work
static bool is_over;

static void wait_on(struct Fiber* self) {
  switch_fibers(self, &main_fiber);
  while (measured_switch != NULL) measured_switch(self, &main_fiber);
}

static uint64_t* new_object(uint64_t number) {
  uint64_t* object = GC_MALLOC(32);
  if (object == NULL) end_with(1, "out of memory");
  *object = number;
  return object;
}

// Each frame refers to an object. The last one replaces its object whenever the fiber has run.
__attribute__((noinline)) static void keep(struct Fiber* self, uint64_t depth) {
  uint64_t* volatile own = new_object(depth);
  if (depth > 1) {
    keep(self, depth - 1);
  } else {
    for (wait_on(self); !is_over; wait_on(self)) own = new_object(depth);
  }
  if (*own != depth) end_with(1, "lost data");
}

static struct Fiber* started;

static void start(void) {
  struct Fiber* self = started;
  keep(self, frames);
  switch_fibers(self, &main_fiber);
}

static void make_fiber(struct Fiber* fiber, char* low) {
  fiber->low = low;
  fiber->high = low + (stack_kib << 10);
  void** top = (void**)fiber->high - 2;
  *--top = NULL;                     // an address to return to, for the alignment
  *--top = (void*)(uintptr_t)start;  // where switch_stacks returns to
  fiber->saved = top - 6;            // its registers
#ifdef JACKDAW_GC
  if (method == 1 && jackdaw_stack_register(fiber->low, fiber->high, &fiber->saved) == 0)
    end_with(1, "out of memory");
#endif
}

static void make_fibers(void) {
  const size_t bytes = stack_kib << 10;
  char* memory =
      mmap(NULL, fibers * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  all = calloc(fibers, sizeof *all);
  if (memory == MAP_FAILED || all == NULL) end_with(1, "out of memory");
  madvise(memory, fibers * bytes, MADV_NOHUGEPAGE);
  for (uint64_t i = 0; i < fibers; ++i) {
    make_fiber(&all[i], memory + i * bytes);
    started = &all[i];
    switch_fibers(&main_fiber, &all[i]);
  }
}

// Each fiber looks at its objects.
static void end_fibers(void) {
  is_over = true;
  for (uint64_t i = 0; i < fibers; ++i) switch_fibers(&main_fiber, &all[i]);
}

// ---- Measuring
// ----------------------------------------------------------------------------------------------

static struct Histogram pauses;
static bool records_pauses;

static void GC_CALLBACK on_event(GC_EventType event) {
  static uint64_t stopped_since;
  if (event == GC_EVENT_PRE_STOP_WORLD) {
    stopped_since = nanoseconds_now();
  } else if (event == GC_EVENT_POST_START_WORLD && records_pauses) {
    add_number(&pauses, nanoseconds_now() - stopped_since);
  }
}

static void switch_alone(struct Fiber* from, struct Fiber* to) { switch_stacks(&from->saved, &to->saved); }

static double nanoseconds_of_switch(void (*switch_to)(struct Fiber*, struct Fiber*)) {
  enum { kPairs = 1000000 };
  measured_switch = switch_to;
  const uint64_t begin = nanoseconds_now();
  for (int i = 0; i < kPairs; ++i) switch_to(&main_fiber, &all[0]);
  const uint64_t end = nanoseconds_now();
  measured_switch = NULL;
  return (double)(end - begin) / (2.0 * kPairs);
}

static void allocate_and_run(void) {
  uint64_t random = 1;
  const uint64_t begin = nanoseconds_now();
  const uint64_t end = begin + seconds * 1000000000U;
  uint64_t have_run = 0;
  for (uint64_t now = begin; now < end; now = nanoseconds_now()) {
    for (int i = 0; i < 100; ++i) {
      if (GC_MALLOC(64) == NULL) end_with(1, "out of memory");
    }
    for (; have_run < (now - begin) * run / 1000000000U; ++have_run)
      switch_fibers(&main_fiber, &all[next_random(&random) % fibers]);
  }
}

static void start_collector(void) {
  GC_INIT();
  if (incremental) GC_enable_incremental();
  GC_start_mark_threads();
  GC_set_on_collection_event(on_event);
  struct GC_stack_base base;
  GC_get_my_stackbottom(&base);
  main_fiber.high = base.mem_base;
  push_others = GC_get_push_other_roots();
  if (method == 0) GC_set_push_other_roots(push_stacks);
#ifdef JACKDAW_GC
  if (method == 1) jackdaw_stack_set_own(&main_fiber.saved);
#endif
}

int main(int argc, char** argv) {
  (void)argc;
  program_name = "fibers";
  const struct Option options[] = {
      {"--fibers", &fibers, 1, 10000000, NULL},     {"--frames", &frames, 1, 100000, NULL},
      {"--stack-kib", &stack_kib, 16, 65536, NULL}, {"--seconds", &seconds, 1, 86400, NULL},
      {"--run", &run, 0, 10000000, NULL},           {"--method", &method, 0, 0, methods},
      {"--incremental", &incremental, 0, 0, NULL},
  };
  parse_options(argv, options, sizeof options / sizeof options[0], help);
  start_collector();
  make_fibers();
  GC_disable();
  const double bare_switch_ns = nanoseconds_of_switch(switch_alone);
  const double switch_ns = nanoseconds_of_switch(switch_fibers);
  GC_enable();
  records_pauses = true;
  allocate_and_run();
  records_pauses = false;
  end_fibers();
  printf("{\"program\":\"fibers\",\"method\":\"%s\",\"incremental\":\"%s\",\"fibers\":%" PRIu64
         ",\"frames\":%" PRIu64 ",\"markers\":%d",
         methods[method], GC_is_incremental_mode() ? "yes" : "no", fibers, frames, GC_get_parallel() + 1);
  printf(",\"bare_switch_ns\":%.2f,\"switch_ns\":%.2f,\"pauses\":%" PRIu64
         ",\"pause_p50_ms\":%.3f,\"longest_pause_ms\":%.3f",
         bare_switch_ns, switch_ns, pauses.count, milliseconds(percentile(&pauses, 50)),
         milliseconds(pauses.largest));
  printf(",\"processor_ms\":%.3f,\"peak_resident_mib\":%.3f", processor_ms(), peak_resident_mib());
  print_gc_version(GC_get_version());
  printf("}\n");
  return fflush(stdout) == 0 ? 0 : 1;
}
