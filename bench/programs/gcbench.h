// GCBench: the benchmark that John Ellis and Pete Kovac wrote and Hans Boehm carried over to C, written anew.
// Binary trees of several sizes, built top-down and bottom-up and dropped at once, beside a long-lived tree
// and a long-lived array of doubles. README.md defines every number that it prints.
//
// This is the work, in C that is C++, too. A file that includes it defines `struct Node` before, with two
// references `left` and `right` and two numbers `level` and `unused`, and the functions declared here.
// NOLINTBEGIN(modernize-use-nullptr, readability-identifier-naming): this is C, too
#ifndef JACKDAW_BENCH_PROGRAMS_GCBENCH_H
#define JACKDAW_BENCH_PROGRAMS_GCBENCH_H

#include <pthread.h>

#include "program.h"

// ---- the collector
// -------------------------------------------------------------------------------------------

// Called first. From then on begin() and end() are called for `stops` and `collections`.
static void start_collector(void);
// Returns a cleared node, or null when there is no memory.
static struct Node* allocate_node(void);
// Returns an array of `length` numbers, which need not be cleared, or null when there is no memory.
static double* allocate_array(size_t length);
static uint64_t collections_so_far(void);
static int mark_threads(void);
static uint64_t heap_bytes(void);
// Prints the collector's version, if there is one (print_gc_version).
static void print_version(void);

// ---- the program's options
// -----------------------------------------------------------------------------------

static const char help[] =
    "Usage: gcbench [options]\n"
    "\n"
    "Builds and drops binary trees beside a long-lived tree and a long-lived array, checks them, and prints\n"
    "time, collections, pauses and memory as one line of JSON.\n"
    "\n"
    "  --threads N      so many threads (1) each do all of the short-lived work\n"
    "  --depth-scale K  trees deeper by K (0) levels, the array 2^K times as long\n"
    "  --repeat N       do everything N times (1), one after the other\n"
    "  --help           print this\n"
    "\n"
    "Example: GC_MARKERS=2 gcbench --threads 2 --depth-scale 2\n"
    "Exit status: 0, 1 for a wrong result or no memory, 2 for bad arguments.\n";

enum {
  kStretchDepth = 18,
  kLongLivedDepth = 16,
  kLeastDepth = 4,
  kMostDepth = 16,
  kArrayLength = 500000,
  kTreesPerCheck = 16,
  kMostThreads = 256,
  kMostDepthScale = 8
};

static uint64_t threads = 1;
static uint64_t depth_scale = 0;
static uint64_t repeat = 1;

static int scaled(int depth) { return depth + (int)depth_scale; }

// ---- trees
// ---------------------------------------------------------------------------------------------------

static uint64_t tree_size(int depth) { return (UINT64_C(2) << depth) - 1; }

static struct Node* new_node(int level) {
  struct Node* node = allocate_node();
  if (node == NULL) end_with(1, "out of memory");
  node->level = level;
  return node;
}

// Gives a node its descendants, each before its own ones.
static void populate(struct Node* node) {
  if (node->level == 0) return;
  node->left = new_node(node->level - 1);
  node->right = new_node(node->level - 1);
  populate(node->left);
  populate(node->right);
}

static struct Node* build_top_down(int depth) {
  struct Node* root = new_node(depth);
  populate(root);
  return root;
}

static struct Node* build_bottom_up(int depth) {
  if (depth == 0) return new_node(0);
  struct Node* left = build_bottom_up(depth - 1);
  struct Node* right = build_bottom_up(depth - 1);
  struct Node* node = new_node(depth);
  node->left = left;
  node->right = right;
  return node;
}

// Counts nodes down to the first that is out of place.
static uint64_t count_nodes(const struct Node* node, int level) {
  if (node == NULL || node->level != level) return 0;
  if (level == 0) return node->left == NULL && node->right == NULL;
  return 1 + count_nodes(node->left, level - 1) + count_nodes(node->right, level - 1);
}

static void check_tree(const char* which, const struct Node* root, int depth) {
  const uint64_t nodes = count_nodes(root, depth);
  if (nodes == tree_size(depth)) return;
  end_with(1, "the %s tree of depth %d has %" PRIu64 " nodes in place, not %" PRIu64, which, depth, nodes,
           tree_size(depth));
}

// ---- the work
// ------------------------------------------------------------------------------------------------

static void build_many(const char* which, struct Node* build(int), int depth) {
  const uint64_t count = 2 * tree_size(scaled(kStretchDepth)) / tree_size(depth);
  for (uint64_t left = count; left != 0; --left) {
    struct Node* tree = build(depth);
    if (left % kTreesPerCheck == 1) check_tree(which, tree, depth);
  }
}

static void* do_short_lived_work(void* unused) {
  for (int depth = kLeastDepth; depth <= scaled(kMostDepth); depth += 2) {
    build_many("top-down", build_top_down, depth);
    build_many("bottom-up", build_bottom_up, depth);
  }
  return unused;
}

static void run_threads(void) {
  pthread_t others[kMostThreads];
  for (uint64_t i = 1; i < threads; ++i) {
    if (pthread_create(&others[i], NULL, do_short_lived_work, NULL) != 0)
      end_with(1, "a thread does not start");
  }
  do_short_lived_work(NULL);
  for (uint64_t i = 1; i < threads; ++i) pthread_join(others[i], NULL);
}

static double element(size_t index) { return 1.0 / ((double)index + 1); }

static double* new_array(size_t length) {
  double* array = allocate_array(length);
  if (array == NULL) end_with(1, "out of memory");
  for (size_t i = 0; i < length; ++i) array[i] = element(i);
  return array;
}

static void check_array(const double* array, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    // Two comparisons are used because compilers warn of != between doubles.
    if (array[i] < element(i) || array[i] > element(i))
      end_with(1, "element %zu of the array has changed", i);
  }
}

// It is not inlined, so that the caller's frame keeps nothing of the tree by accident.
__attribute__((noinline)) static void stretch_heap(void) {
  check_tree("stretch", build_bottom_up(scaled(kStretchDepth)), scaled(kStretchDepth));
}

static void run_once(void) {
  const size_t length = (size_t)kArrayLength << depth_scale;
  stretch_heap();
  struct Node* long_lived = build_top_down(scaled(kLongLivedDepth));
  double* array = new_array(length);
  run_threads();
  check_tree("long-lived", long_lived, scaled(kLongLivedDepth));
  check_array(array, length);
}

// ---- pauses
// --------------------------------------------------------------------------------------------------

// The times between two events that alternate. The collector sends events under its lock.
struct Spans {
  uint64_t begun;
  uint64_t longest;
  uint64_t sum;
  uint64_t count;
};

static struct Spans stops;        // the world is stopped
static struct Spans collections;  // a collection is under way

static void begin(struct Spans* spans) { spans->begun = nanoseconds_now(); }

static void end(struct Spans* spans) {
  const uint64_t length = nanoseconds_now() - spans->begun;
  spans->sum += length;
  if (length > spans->longest) spans->longest = length;
  ++spans->count;
}

static void print_spans(const char* name, const char* sum_name, const struct Spans* spans) {
  if (spans != NULL) {
    printf(",\"%s\":%.3f,\"%s\":%.3f", name, milliseconds(spans->longest), sum_name,
           milliseconds(spans->sum));
  } else {
    printf(",\"%s\":null,\"%s\":null", name, sum_name);
  }
}

// A collector that does not report when it stops the world pauses one thread for as long as it collects; with
// more threads nothing is known. A collector that sent no event and did not collect did not pause.
static void print_pauses(uint64_t collected) {
  const struct Spans* pauses = &stops;
  if (stops.count == 0 && collected != 0)
    pauses = threads == 1 && collections.count != 0 ? &collections : NULL;
  print_spans("longest_pause_ms", "all_pauses_ms", pauses);
  print_spans("longest_collection_ms", "all_collections_ms",
              collections.count != 0 || collected == 0 ? &collections : NULL);
}

// ---- the program
// ---------------------------------------------------------------------------------------------

static void measure(void) {
  const uint64_t first_collection = collections_so_far();
  const uint64_t start = nanoseconds_now();
  for (uint64_t i = 0; i < repeat; ++i) run_once();
  const uint64_t total = nanoseconds_now() - start;
  const uint64_t collected = collections_so_far() - first_collection;
  printf("{\"program\":\"gcbench\",\"threads\":%" PRIu64 ",\"markers\":%d,\"depth_scale\":%" PRIu64
         ",\"repeat\":%" PRIu64 ",\"total_ms\":%.3f,\"processor_ms\":%.3f,\"collections\":%" PRIu64,
         threads, mark_threads(), depth_scale, repeat, milliseconds(total), processor_ms(), collected);
  print_pauses(collected);
  print_version();
  printf(",\"heap_mib\":%.3f,\"peak_resident_mib\":%.3f}\n", (double)heap_bytes() / 1048576,
         peak_resident_mib());
}

// Runs the whole program.
static int run_gcbench(char** arguments) {
  program_name = "gcbench";
  const struct Option options[] = {
      {"--threads", &threads, 1, kMostThreads, NULL},
      {"--depth-scale", &depth_scale, 0, kMostDepthScale, NULL},
      {"--repeat", &repeat, 1, 1000000, NULL},
  };
  parse_options(arguments, options, sizeof options / sizeof options[0], help);
  start_collector();
  measure();
  return fflush(stdout) == 0 ? 0 : 1;
}

#endif  // JACKDAW_BENCH_PROGRAMS_GCBENCH_H
// NOLINTEND(modernize-use-nullptr, readability-identifier-naming)
