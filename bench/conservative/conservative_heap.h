// ConservativeHeap: a graph in the heap of a collector that is used by its C interface, ours or libgc.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/conservative/collector_functions.h"
#include "bench/heap/object_set.h"
#include "heap/block_map.h"
#include "tools/graph/graph.h"

namespace jackdaw::bench {

/// How a collector is started. The first heap of a process decides.
struct CollectorSetting {
  unsigned markers = 1;  ///< mark threads, the collecting one included
  /// How many displacements are registered, 1, 2 and so on, with addresses inside objects off otherwise; at
  /// most kMostDisplacements. Nothing: every address in an object keeps it, the collectors' default.
  std::optional<unsigned> displacements = {};
};

/// They are what programs keep in the low bits of their references.
inline constexpr unsigned kMostDisplacements = 7;

/// Every node of a graph as an object of its size, allocated in the graph's order: by GC_MALLOC_ATOMIC where
/// its type has no references, else by GC_MALLOC, to be scanned word by word. The only roots are the graph's,
/// and the stack's words; neither the program's data nor its libraries' are scanned. With N displacements a
/// reference to node n is n mod (N + 1) bytes past the object's start.
class ConservativeHeap {
 public:
  /// Starts the collector and builds the objects, which no other thread may do meanwhile. `is_reachable`: by
  /// node, whether the roots reach it; without it census() cannot be called. Throws InputError when memory
  /// runs out.
  ConservativeHeap(const CollectorFunctions& collector, const CollectorSetting& setting,
                   const tools::Graph& graph, const std::vector<bool>* is_reachable = nullptr);
  ~ConservativeHeap();
  ConservativeHeap(const ConservativeHeap&) = delete;
  ConservativeHeap& operator=(const ConservativeHeap&) = delete;

  /// The collector's, for people.
  [[nodiscard]] const char* name() const { return collector_.name; }
  [[nodiscard]] std::string version() const { return collector_.version(); }
  /// Mark threads that the collector really uses.
  [[nodiscard]] std::uint32_t threads() const;
  [[nodiscard]] std::uint64_t heap_bytes() const { return collector_.get_heap_size(); }
  /// Where objects of Jackdaw's heap lie, and the words that are its graph's roots. Not for libgc's heap.
  [[nodiscard]] static const heap::BlockMap& map();
  [[nodiscard]] const std::vector<std::uintptr_t>& roots() const { return roots_; }
  /// Calls GC_gcollect() once and returns the time that it takes.
  std::chrono::nanoseconds collect();

  /// The objects that the last collection left marked, compared with those that the graph's roots reach.
  struct Census {
    std::uint64_t reachable = 0;    ///< objects that the roots reach
    std::uint64_t missing = 0;      ///< those of them that are not marked: a defect
    std::uint64_t unreachable = 0;  ///< marked ones that nothing but a chance word reaches, or of libgc's own
  };
  /// O(heap).
  [[nodiscard]] Census census() const;

 private:
  using Objects = std::vector<std::uint64_t*>;  // by node

  [[nodiscard]] Objects allocate_nodes(const tools::Graph& graph) const;
  void fill_node(const tools::Graph& graph, tools::NodeId node, const Objects& objects) const;
  [[nodiscard]] std::uintptr_t reference_to(tools::NodeId node, const Objects& objects) const;
  void note_reachable(const std::vector<bool>& is_reachable, const Objects& objects);

  const CollectorFunctions collector_;
  const unsigned displacements_;
  std::vector<std::uintptr_t> roots_;
  ObjectSet reachable_;
  std::uint64_t reachable_count_ = 0;
};

}  // namespace jackdaw::bench
