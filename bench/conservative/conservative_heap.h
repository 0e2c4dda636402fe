// ConservativeHeap: a graph in the heap of a collector with libgc's C interface, ours or libgc.
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
  /// The number of registered displacements, 1, 2 and so on, at most kMostDisplacements; other interior
  /// pointers do not count then. Nothing: all interior pointers count, the collectors' default.
  std::optional<unsigned> displacements = {};
};

/// Programs keep tags up to this value in the low bits of their references.
inline constexpr unsigned kMostDisplacements = 7;

/// Each node of a graph is an object of its size, allocated in the graph's order: by GC_MALLOC_ATOMIC where
/// its type has no references, else by GC_MALLOC, to be scanned word by word. The only roots are the graph's
/// and the words of the stack; the data of the program and its libraries are not scanned. With N
/// displacements a reference to node n is n mod (N + 1) bytes behind the object's start.
class ConservativeHeap {
 public:
  /// Starts the collector and builds the objects; no other thread may do so meanwhile. `is_reachable`: for
  /// each node, whether the roots reach it; without it census() must not be called. Throws InputError when
  /// memory runs out.
  ConservativeHeap(const CollectorFunctions& collector, const CollectorSetting& setting,
                   const tools::Graph& graph, const std::vector<bool>* is_reachable = nullptr);
  ~ConservativeHeap();
  ConservativeHeap(const ConservativeHeap&) = delete;
  ConservativeHeap& operator=(const ConservativeHeap&) = delete;

  /// Returns the collector's name for people.
  [[nodiscard]] const char* name() const { return collector_.name; }
  [[nodiscard]] std::string version() const { return collector_.version(); }
  /// Returns the number of mark threads that the collector really uses.
  [[nodiscard]] std::uint32_t threads() const;
  [[nodiscard]] std::uint64_t heap_bytes() const { return collector_.get_heap_size(); }
  /// These return where objects lie and the words that are the graph's roots. Only for Jackdaw's heap.
  [[nodiscard]] static const heap::BlockMap& map();
  [[nodiscard]] const std::vector<std::uintptr_t>& roots() const { return roots_; }
  /// Calls GC_gcollect() once and returns the time that it takes.
  std::chrono::nanoseconds collect();

  /// Compares the objects that the last collection left marked with those that the graph's roots reach.
  struct Census {
    std::uint64_t reachable = 0;    ///< objects that the roots reach
    std::uint64_t missing = 0;      ///< those of them that are not marked, which is a defect
    std::uint64_t unreachable = 0;  ///< marked ones that only a chance word reaches, or that are libgc's own
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
