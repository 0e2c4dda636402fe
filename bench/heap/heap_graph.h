// HeapGraph: a graph of objects in Jackdaw's heap.
#pragma once

#include <cstdint>
#include <vector>

#include "gc/runtime/collector.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"
#include "tools/command/progress.h"
#include "tools/graph/graph.h"

namespace jackdaw::bench {

/// Each node of a graph is an object of its size, allocated in the graph's order; the graph's roots are
/// registered roots. Where chunks lie on several memory nodes, each has an equal share of the objects. The
/// collector must outlive the graph and must not collect by itself while it is built.
class HeapGraph {
 public:
  /// Builds the objects. Throws InputError when the heap runs out of memory. O(nodes + slots).
  HeapGraph(const tools::Graph& graph, gc::Collector& collector);
  ~HeapGraph();
  HeapGraph(const HeapGraph&) = delete;
  HeapGraph& operator=(const HeapGraph&) = delete;

  /// The root references, one for each of the graph's roots.
  [[nodiscard]] const std::vector<heap::Object*>& roots() const { return roots_; }

 private:
  void describe_types(const tools::Graph& graph);
  std::vector<heap::Object*> allocate_nodes(const tools::Graph& graph);
  void allocate_from_to(const tools::Graph& graph, std::uint64_t first, std::uint64_t end,
                        std::vector<heap::Object*>& objects, tools::Progress& progress);
  static void fill_slots(const tools::Graph& graph, const std::vector<heap::Object*>& objects);

  gc::Collector& collector_;
  std::vector<heap::TypeDescriptor> types_;
  std::vector<heap::Object*> roots_;
};

}  // namespace jackdaw::bench
