// A program whose functions allocate known amounts, of which a known part stays alive until its end. With an
// argument they run on the stack of a fiber, which the collector is not told of.
#include <gc.h>
#include <ucontext.h>

enum { kHot = 60000, kKept = kHot / 4, kCold = 50000 };

static void** table;
static void* volatile last;

// The variables keep the calls from being jumps, which leave no frame.
__attribute__((noinline)) static void* hot_place(void) {
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

int main(int argc, char** argv) {
  (void)argv;
  GC_INIT();
  table = GC_MALLOC(kKept * sizeof(void*));
  if (argc == 1) {
    allocate_all();
  } else if (run_on_fiber(allocate_all) != 0) {
    return 1;
  }
  GC_gcollect();
  return 0;
}
