/* A heap profiler's function in the place of GC_free_profiler_hook: it is told of each object that was freed,
   once, and of no other. */
#include <stdio.h>

#include "gc_mark.h"

enum { kMany = 1000, kBytes = 1000 };

static GC_hidden_pointer told[100 * kMany];
static int told_count;

void GC_CALLBACK GC_free_profiler_hook(void* object) {
  if (told_count < (int)(sizeof told / sizeof told[0])) told[told_count++] = GC_HIDE_POINTER(object);
}

static int times_told(GC_hidden_pointer object) {
  int times = 0;
  for (int i = 0; i < told_count; ++i) times += told[i] == object;
  return times;
}

static GC_hidden_pointer freed[kMany];
static GC_hidden_pointer dropped[kMany];

static __attribute__((noinline)) void make_and_drop(void) {
  for (int i = 0; i < kMany; ++i) {
    void** const object = (void**)GC_MALLOC(kBytes);
    /* Of another size, so that no memory is used twice. */
    dropped[i] = GC_HIDE_POINTER(GC_MALLOC_ATOMIC(2 * kBytes));
    /* A link in the word that chains a freed object to the next. */
    GC_general_register_disappearing_link(object, GC_REVEAL_POINTER(dropped[i]));
    freed[i] = GC_HIDE_POINTER(object);
  }
  for (int i = 0; i < kMany; ++i) GC_FREE(GC_REVEAL_POINTER(freed[i]));
}

int main(void) {
  int once = 0;
  int failed = 0;
  GC_INIT();
  GC_disable();
  void** const kept = (void**)GC_MALLOC(kMany * sizeof(void*));
  for (int i = 0; i < kMany; ++i) kept[i] = GC_MALLOC(3 * kBytes);
  make_and_drop();
  if (told_count != kMany || told[0] != freed[0]) {
    printf("told of %d objects that were freed, not of %d\n", told_count, kMany);
    failed = 1;
  }
  GC_clear_stack(NULL);
  GC_enable();
  GC_gcollect();
  for (int i = 0; i < kMany; ++i) {
    once += times_told(dropped[i]) == 1;
    if (times_told(GC_HIDE_POINTER(kept[i])) != 0) failed = 1;
  }
  if (once < kMany - 10) {
    printf("told once of %d dead objects, not of %d\n", once, kMany);
    failed = 1;
  }
  const int before = told_count;
  GC_gcollect();
  if (told_count > before + 10) {
    printf("told of %d more objects\n", told_count - before);
    failed = 1;
  }
  GC_reachable_here(kept);
  return failed;
}
