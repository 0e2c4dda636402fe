/* Objects that are watched by links that disappear: how many of them a collection frees. */
#ifndef WATCHED_H
#define WATCHED_H

#include "gc.h"

#include <stdio.h>
#include <string.h>

#define MANY 1000

/* Where no collection looks for addresses. */
struct watched {
  void** links;
  size_t count;
};

static inline struct watched watch(void) {
  struct watched objects;
  objects.links = (void**)GC_malloc_atomic_uncollectable(MANY * sizeof(void*));
  objects.count = 0;
  return objects;
}

static inline void watch_object(struct watched* objects, void* object) {
  void** const link = objects->links + objects->count++;
  *link = object;
  GC_general_register_disappearing_link(link, GC_base(object));
}

/* Overwrites what earlier calls left on the stack, and collects. */
__attribute__((__noinline__)) static void collect_cleanly(void) {
  volatile char stack[30000];
  memset((void*)stack, 0, sizeof stack);
  GC_gcollect();
}

/* "all", "none" (a stale word may keep some) or the number of the objects that are there. */
static inline void print_kept(const char* what, const struct watched* objects) {
  size_t kept = 0;
  for (size_t n = 0; n < objects->count; ++n) kept += objects->links[n] != NULL;
  if (kept == objects->count) {
    printf("%s: all kept\n", what);
  } else if (kept <= objects->count / 20) {
    printf("%s: none kept\n", what);
  } else {
    printf("%s: %zu of %zu kept\n", what, kept, objects->count);
  }
}

#endif
