// A heap of one's own, marked with Jackdaw's engine alone: builds a random graph in an arena, marks what can
// be reached from the roots on several threads, and holds the marks against those of a serial traversal.
//
// Usage: embedder [THREADS [NODES]]. Exit status: 0, 1 when a mark is wrong or memory is out, 2 for bad
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
#include <unordered_set>
#include <vector>

#include <jackdaw/marker.h>
#include "arena.h"
#include "arena_model.h"

namespace {

using jackdaw::Marker;
using jackdaw::MarkerOptions;
using jackdaw::WorkerStatistics;

constexpr std::uint64_t kMostEdges = 4;
constexpr std::uint64_t kNodesPerRoot = 1000;

struct Graph {
  Arena arena;
  std::vector<Node*> nodes;
  std::vector<Node*> roots;
};

// Nodes with up to kMostEdges edges, each to any node; every so many nodes a root.
Graph random_graph(std::uint64_t count) {
  Graph graph{Arena(count * Arena::bytes_of(kMostEdges)), {}, {}};
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < count; ++i) {
    graph.nodes.push_back(graph.arena.allocate(random() % (kMostEdges + 1)));
    if (i % kNodesPerRoot == 0) graph.roots.push_back(graph.nodes.back());
  }
  for (Node* const node : graph.nodes) {
    for (Node*& edge : node->edges()) edge = graph.nodes[random() % count];
  }
  return graph;
}

// The nodes that can be reached, found without the engine and without the marks.
std::unordered_set<const Node*> reachable_nodes(const std::vector<Node*>& roots) {
  std::unordered_set<const Node*> reached(roots.begin(), roots.end());
  std::vector<Node*> unvisited = roots;
  while (!unvisited.empty()) {
    Node* const node = unvisited.back();
    unvisited.pop_back();
    for (Node* const edge : node->edges()) {
      if (edge != nullptr && reached.insert(edge).second) unvisited.push_back(edge);
    }
  }
  return reached;
}

// How many nodes are marked and should not be, or the other way round.
std::uint64_t wrong_marks(Graph& graph) {
  const std::unordered_set<const Node*> reachable = reachable_nodes(graph.roots);
  std::uint64_t wrong = 0;
  for (Node* const node : graph.nodes) wrong += graph.arena.is_marked(node) != reachable.contains(node);
  return wrong;
}

int mark_and_check(std::uint32_t threads, std::uint64_t nodes) {
  Graph graph = random_graph(nodes);
  ArenaModel model(graph.arena);
  MarkerOptions options;
  options.threads = threads;
  Marker<ArenaModel> marker(options);  // a runtime keeps it: its threads sleep between collections

  const auto start = std::chrono::steady_clock::now();
  // False only when memory for the mark stack ran out; then all marked nodes would have to be visited again.
  if (!marker.mark(model, graph.roots)) {
    std::fprintf(stderr, "embedder: no memory to remember what is still to be visited\n");
    return 1;
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;

  const WorkerStatistics sum = jackdaw::total(marker.statistics());
  std::printf(
      "%llu nodes, %llu of them marked by %u threads in %.1f ms; %llu steals got %.1f %% of the tasks\n",
      static_cast<unsigned long long>(nodes), static_cast<unsigned long long>(sum.objects_marked),
      marker.worker_count(), time.count(), static_cast<unsigned long long>(sum.steals), sum.steal_percent());
  if (const std::uint64_t wrong = wrong_marks(graph); wrong != 0) {
    std::fprintf(stderr, "embedder: %llu marks are wrong\n", static_cast<unsigned long long>(wrong));
    return 1;
  }
  return 0;
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
    return mark_and_check(static_cast<std::uint32_t>(threads), nodes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embedder: %s\n", error.what());
    return 1;
  }
}
