/* Threads that are suspended and resumed, and collections meanwhile. */
#define GC_THREADS
#include "gc.h"
#include "javaxfc.h"

#include <sched.h>
#include <stdio.h>

struct link {
  struct link* next;
  GC_word value;
};

static struct link* new_list(void) {
  struct link* list = NULL;
  for (GC_word value = 0; value < 100; ++value) {
    struct link* const link = (struct link*)GC_MALLOC(sizeof(struct link));
    link->next = list;
    link->value = value;
    list = link;
  }
  return list;
}

static int is_whole(const struct link* list) {
  GC_word value = 100;
  for (; list != NULL && list->value + 1 == value; list = list->next) --value;
  return list == NULL && value == 0;
}

static volatile unsigned steps;
static volatile int broken;
static volatile int is_to_end;

static void* work(void* unused) {
  while (!is_to_end) {
    struct link* volatile list = new_list();
    for (int n = 0; n < 10; ++n) new_list();
    if (!is_whole(list)) broken = 1;
    __atomic_fetch_add(&steps, 1, __ATOMIC_RELAXED);
  }
  return unused;
}

static void await_steps(unsigned count) {
  const unsigned from = steps;
  while (steps - from < count) sched_yield();
}

int main(void) {
  GC_INIT();
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  int moved = 0;
  int wrong = 0;
  for (int round = 0; round < 100; ++round) {
    await_steps(1);
    GC_suspend_thread(thread);
    if (!GC_is_thread_suspended(thread)) wrong = 1;
    const unsigned before = steps;
    struct link* volatile list = new_list();
    GC_gcollect();
    for (int n = 0; n < 100; ++n) sched_yield();
    if (!is_whole(list)) broken = 1;
    if (steps != before) moved = 1;
    GC_suspend_thread(thread);
    GC_resume_thread(thread);
    if (GC_is_thread_suspended(thread)) wrong = 1;
  }
  is_to_end = 1;
  pthread_join(thread, NULL);
  printf("lists are %s\n", broken ? "broken" : "whole");
  printf("a suspended thread %s\n", moved ? "moves" : "is stopped");
  printf("what is said of it is %s\n", wrong ? "wrong" : "right");
  printf("a thread that is not registered: %d\n", GC_is_thread_suspended((pthread_t)1));
  return 0;
}
