// A program that is built with ThreadSanitizer, on the library as it is installed: threads that allocate, and
// one that calls nothing in which the sanitizer would hand on a signal.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "gc.h"

enum { kThreads = 4, kLists = 200, kLength = 1000 };

struct Link {
  struct Link* next;
  long value;
};

static atomic_bool computes;
static atomic_bool may_end;

static struct Link* new_list(void) {
  struct Link* list = NULL;
  for (long value = 0; value < kLength; ++value) {
    struct Link* const link = GC_MALLOC(sizeof *link);
    link->next = list;
    link->value = value;
    list = link;
  }
  return list;
}

static void expect_intact(const struct Link* list) {
  long expected = kLength;
  for (; list != NULL && list->value == expected - 1; list = list->next) --expected;
  if (list == NULL && expected == 0) return;
  fputs("a list was lost\n", stderr);
  exit(1);
}

static void* allocate(void* unused) {
  struct Link* const kept = new_list();
  for (int i = 0; i < kLists; ++i) expect_intact(new_list());
  expect_intact(kept);
  return unused;
}

static void* compute(void* unused) {
  struct Link* const list = new_list();
  atomic_store(&computes, 1);
  while (!atomic_load(&may_end)) {
  }
  expect_intact(list);
  return unused;
}

int main(void) {
  GC_INIT();
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, allocate, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  pthread_t computing;
  pthread_create(&computing, NULL, compute, NULL);
  while (!atomic_load(&computes)) {
  }
  GC_gcollect();
  atomic_store(&may_end, 1);
  pthread_join(computing, NULL);
  return 0;
}
