// A program whose functions allocate known amounts, of which a known part stays alive until its end. With
// "fiber" they run on the stack of a fiber, which the collector is not told of. With "divided" the segment of
// hot_place() is mapped in several parts.
#define _GNU_SOURCE
#include <gc.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { kHot = 60000, kKept = kHot / 4, kCold = 50000 };

static void** table;
static void* volatile last;

// The variables keep the calls from being jumps, which leave no frame. profiled_apart.ld makes a segment of
// the section.
__attribute__((noinline, section(".text.apart"))) static void* hot_place(void) {
  void* volatile object = GC_MALLOC(4000);
  return object;
}
__attribute__((noinline)) static void* cold_place(void) {
  void* volatile object = GC_MALLOC(60);
  return object;
}

__attribute__((noinline)) static void allocate_all(void) {
  for (int i = 0; i < kHot; ++i) {
    last = hot_place();
    if (i % 4 == 0) table[i / 4] = last;
  }
  for (int i = 0; i < kCold; ++i) last = cold_place();
}

static int run_on_fiber(void (*function)(void)) {
  static char stack[1 << 18];
  static ucontext_t caller;
  static ucontext_t fiber;
  if (getcontext(&fiber) != 0) return 1;
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = sizeof stack;
  fiber.uc_link = &caller;
  makecontext(&fiber, function, 0);
  return swapcontext(&caller, &fiber);
}

// Pages with a setting of their own are a mapping of their own.
static int divide_segment(void) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  return madvise((void*)((uintptr_t)hot_place & ~(page - 1)), page, MADV_RANDOM);
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
  GC_INIT();
  table = GC_MALLOC(kKept * sizeof(void*));
  if (strcmp(way, "divided") == 0 && divide_segment() != 0) return 1;
  if (strcmp(way, "fiber") != 0) {
    allocate_all();
  } else if (run_on_fiber(allocate_all) != 0) {
    return 1;
  }
  GC_gcollect();
  return 0;
}
