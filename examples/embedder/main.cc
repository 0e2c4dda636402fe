// A custom heap that is marked by Jackdaw's engine: builds a random graph in an arena, marks what is
// reachable from the roots on several threads, and collects it, with weak references, ephemerons and
// finalizers. All results are compared with a serial computation.
//
// Usage: embedder [THREADS [NODES]]. Exit status: 0, 1 when something is wrong or memory is out, 2 for bad
// arguments.
//
// With CMake, see CMakeLists.txt. With pkg-config:
//   g++ -std=c++20 -O2 main.cc -o embedder $(pkg-config --cflags --libs jackdaw-mark)
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <random>
#include <system_error>
#include <thread>

#include <jackdaw/marker.h>
#include "arena.h"
#include "arena_model.h"
#include "collection.h"
#include "outcome.h"

namespace {

using jackdaw::Marker;
using jackdaw::MarkerOptions;

constexpr Fields kMostFields{.edges = 3, .weak = 2, .ephemerons = 3};
constexpr std::uint64_t kNodesPerRoot = 1000;

// Builds nodes with fields that refer to any node or are null. One in 16 may have weak references, one in 16
// ephemerons; one in 16 has a finalizer, and some, at regular distances, are roots.
Heap random_heap(std::uint64_t count) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  const auto up_to = [&](std::uint16_t most) { return static_cast<std::uint16_t>(below(most + 1U)); };

  Heap heap{Arena(count * Arena::bytes_of(kMostFields)), {}, {}, {}};
  for (std::uint64_t i = 0; i < count; ++i) {
    Fields fields{.edges = static_cast<std::uint32_t>(below(kMostFields.edges + 1))};
    if (below(16) == 0) fields.weak = up_to(kMostFields.weak);
    if (below(16) == 0) fields.ephemerons = up_to(kMostFields.ephemerons);
    Node* const node = heap.arena.allocate(fields);
    if (i % kNodesPerRoot == 0) heap.roots.push_back(node);
    if (below(16) == 0) heap.finalizable.push_back(node);
  }
  const auto any_node = [&] { return below(16) != 0 ? heap.arena.nodes()[below(count)] : nullptr; };
  for (Node* const node : heap.arena.nodes()) {
    for (Node*& edge : node->edges()) edge = any_node();
    for (Node*& reference : node->weak_references()) reference = any_node();
    for (Ephemeron& ephemeron : node->ephemerons()) ephemeron = {any_node(), any_node()};
  }
  return heap;
}

// Compares one mark() with a serial traversal.
bool mark_and_check(Heap& heap, Marker<ArenaModel>& marker) {
  Collection collection(heap, marker);
  const auto start = std::chrono::steady_clock::now();
  collection.mark(heap.roots);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;

  const jackdaw::WorkerStatistics sum = jackdaw::total(marker.statistics());
  std::printf(
      "%zu nodes, %llu of them marked by %u threads in %.1f ms; %llu steals got %.1f %% of the tasks\n",
      heap.arena.nodes().size(), static_cast<unsigned long long>(sum.objects_marked), marker.worker_count(),
      time.count(), static_cast<unsigned long long>(sum.steals), sum.steal_percent());
  NodeSet reachable;
  reach(heap.roots, reachable);
  const auto is_right = [&](Node* node) { return heap.arena.is_marked(node) == reachable.contains(node); };
  if (std::ranges::all_of(heap.arena.nodes(), is_right)) return true;
  std::fputs("embedder: marks are wrong\n", stderr);
  return false;
}

// Compares a whole collection with a serial computation.
bool collect_and_check(Heap& heap, Marker<ArenaModel>& marker) {
  const Outcome expected = expected_outcome(heap);
  Collection collection(heap, marker);
  collection.run();

  const Outcome actual = actual_outcome(heap);
  std::printf("%zu nodes live, %zu to be finalized; %td of %zu weak fields null; %zu rescans of all\n",
              actual.live.size(), actual.finalizer_queue.size(),
              std::ranges::count(actual.weak_fields, nullptr), actual.weak_fields.size(),
              collection.rescan_passes());
  if (actual == expected) return true;
  std::fputs("embedder: the collection is wrong\n", stderr);
  return false;
}

bool run(std::uint32_t threads, std::uint64_t nodes) {
  MarkerOptions options;
  options.threads = threads;
  Marker<ArenaModel> marker(options);  // a runtime keeps it: its threads sleep between collections
  Heap heap = random_heap(nodes);
  if (!mark_and_check(heap, marker) || !collect_and_check(heap, marker)) return false;
  heap.finalizer_queue.clear();  // the finalizers have run, so what they kept is dead
  if (!collect_and_check(heap, marker)) return false;

  // This imitates scarce memory: mark() is false whenever the queues, made small, are full.
  options.overflow_limit = 0;
  options.tuning.blocks = 8;
  options.tuning.block_size = 1;
  Marker<ArenaModel> short_of_memory(options);
  heap = random_heap(nodes);
  return collect_and_check(heap, short_of_memory);
}

bool parse(const char* text, std::uint64_t most, std::uint64_t& value) {
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  return error == std::errc() && rest == end && value >= 1 && value <= most;
}

}  // namespace

int main(int count, char** arguments) {
  std::uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t nodes = 1'000'000;
  if (count > 3 || (count > 1 && !parse(arguments[1], 1024, threads)) ||
      (count > 2 && !parse(arguments[2], 1'000'000'000, nodes))) {
    std::fprintf(stderr,
                 "usage: embedder [THREADS [NODES]], with 1 to 1024 threads and 1 to 1000000000 nodes\n");
    return 2;
  }
  try {
    return run(static_cast<std::uint32_t>(threads), nodes) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embedder: %s\n", error.what());
    return 1;
  }
}
