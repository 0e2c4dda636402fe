// GCBench (gcbench.h) with <gc.h>.
#define _GNU_SOURCE
#define GC_THREADS
#include <gc.h>
#include <stdint.h>

// The classic node: two references and two numbers.
struct Node {
  struct Node* left;
  struct Node* right;
  int level;  // 0 in a leaf; what the check looks at
  int unused;
};

#include "gcbench.h"

static struct Node* allocate_node(void) { return GC_MALLOC(sizeof(struct Node)); }
static double* allocate_array(size_t length) { return GC_MALLOC_ATOMIC(length * sizeof(double)); }
static uint64_t collections_so_far(void) { return GC_get_gc_no(); }
static int mark_threads(void) { return GC_get_parallel() + 1; }
static uint64_t heap_bytes(void) { return GC_get_heap_size(); }
static void print_version(void) { print_gc_version(GC_get_version()); }

static void GC_CALLBACK on_event(GC_EventType event) {
  switch (event) {
    case GC_EVENT_PRE_STOP_WORLD:
      begin(&stops);
      break;
    case GC_EVENT_POST_START_WORLD:
      end(&stops);
      break;
    case GC_EVENT_START:
      begin(&collections);
      break;
    case GC_EVENT_END:
      end(&collections);
      break;
    default:
      break;
  }
}

static void start_collector(void) {
  GC_INIT();
  GC_start_mark_threads();  // they would start with the program's second thread
  GC_set_on_collection_event(on_event);
}

int main(int argc, char** argv) {
  (void)argc;
  return run_gcbench(argv);
}
