// A program in which one stale word on a thread's stack keeps 100 MiB. Writes a heap dump to the file that
// its argument names; prints the thread's number and the address of an object that the word keeps.
#define _GNU_SOURCE
#define GC_THREADS
#include <gc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kObjects = 25600, kBytes = 4000, kChildren = 500 };  // each in a slot of 4,096 bytes

static pthread_barrier_t forgot, dumped;
static uintptr_t hidden_root, hidden_leaf;  // complements: no references
static int forgetful_thread;

// Each object leads to the next kChildren ones that nothing leads to yet.
__attribute__((noinline)) static void make_objects(void) {
  void*** const objects = malloc(kObjects * sizeof *objects);
  for (int i = 0; i < kObjects; ++i) {
    objects[i] = GC_MALLOC(kBytes);
    if (i > 0) objects[(i - 1) / kChildren][(i - 1) % kChildren] = objects[i];
  }
  hidden_root = ~(uintptr_t)objects[0];
  hidden_leaf = ~(uintptr_t)objects[kObjects - 1];
  free(objects);
}

// Addresses stay behind on its stack, deeper than other threads' that may get it reach.
static void* make(void* unused) {
  volatile char gap[1 << 16];
  gap[0] = 0;
  make_objects();
  (void)gap;
  return unused;
}

static void* forgetful(void* unused) {
  void* volatile stale = (void*)~hidden_root;
  forgetful_thread = gettid();
  pthread_barrier_wait(&forgot);
  pthread_barrier_wait(&dumped);
  (void)stale;
  return unused;
}

int main(int argc, char** argv) {
  pthread_t maker, keeper;
  GC_INIT();
  GC_disable();
  if (argc != 2 || pthread_create(&maker, NULL, make, NULL) != 0) return 1;
  pthread_join(maker, NULL);
  pthread_barrier_init(&forgot, NULL, 2);
  pthread_barrier_init(&dumped, NULL, 2);
  if (pthread_create(&keeper, NULL, forgetful, NULL) != 0) return 1;
  pthread_barrier_wait(&forgot);
  GC_enable();
  const int is_written = GC_dump_heap(argv[1]);
  pthread_barrier_wait(&dumped);
  pthread_join(keeper, NULL);
  printf("%d %#lx\n", forgetful_thread, (unsigned long)~hidden_leaf);
  return is_written ? 0 : 1;
}
