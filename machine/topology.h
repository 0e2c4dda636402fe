// Topology: the memory nodes, processors and caches that this process may use, as hwloc sees them, and the
// home processor of each worker.
//
// hwloc honours the container that the process is in, and its environment variables: with HWLOC_SYNTHETIC
// (such as "numa:4 core:4 pu:1") it describes an imaginary machine. On a real machine, only the processors
// count that the calling thread may run on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/node_distance.h"
#include "machine/binding.h"

struct hwloc_topology;

namespace jackdaw::machine {

/// A unit that runs one thread at a time: a core, or one hardware thread of a core that has several.
struct Processor {
  std::uint32_t system_number = 0;  ///< the system's number
  std::uint32_t node = 0;           ///< from 0, among the memory nodes
  std::uint32_t core = 0;           ///< from 0, among the cores
};

/// Memory that is near to some processors.
struct MemoryNode {
  std::uint32_t system_number = 0;  ///< the system's number
  std::uint64_t bytes = 0;          ///< its size; 0 where it is not known
};

/// The caches of one level and size.
struct CacheKind {
  std::uint32_t level = 0;
  std::uint64_t bytes = 0;       ///< the size of one
  std::uint32_t count = 0;       ///< how many there are
  std::uint32_t processors = 0;  ///< the most that share one
};

class Topology {
 public:
  /// Looks at the machine, which takes milliseconds. When hwloc cannot, the machine counts as one node with
  /// one processor. Throws std::bad_alloc.
  Topology();
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// The machine as it was when this was first called. Any thread.
  static const Topology& machine();

  /// Whether machine() may have several memory nodes. A process on a machine with one need not load hwloc,
  /// which takes milliseconds and megabytes. Any thread.
  static bool may_have_several_nodes();

  /// The processors that this process may use, neighbours beside one another; one at least.
  [[nodiscard]] std::span<const Processor> processors() const { return processors_; }
  /// The memory nodes that have such a processor; one at least.
  [[nodiscard]] std::span<const MemoryNode> nodes() const { return nodes_; }
  /// The data caches of those processors, the smallest level first.
  [[nodiscard]] std::span<const CacheKind> caches() const { return caches_; }
  [[nodiscard]] std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] std::uint32_t processor_count() const {
    return static_cast<std::uint32_t>(processors_.size());
  }
  [[nodiscard]] std::uint32_t core_count() const { return core_count_; }
  /// Returns the firmware's relative access time from a node's processors to another node's memory, where
  /// NodeDistance::kNear is that to its own; NodeDistance::kFar where nothing is known.
  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    return distances_[from * nodes_.size() + to];
  }
  /// Returns the distances between all nodes, by row: as VictimSetup::node_distances wants them.
  [[nodiscard]] std::span<const std::uint32_t> distances() const { return distances_; }

  /// Returns the home processor of each of `workers` workers, a number in processors(): workers are spread
  /// evenly, with neighbours beside one another. O(workers).
  [[nodiscard]] std::vector<std::uint32_t> homes_of_workers(std::uint32_t workers) const;
  /// Returns the memory node of each of `workers` workers. O(workers).
  [[nodiscard]] std::vector<std::uint32_t> nodes_of_workers(std::uint32_t workers) const;

  /// Whether this describes the machine that the process runs on, not an imaginary one.
  [[nodiscard]] bool is_this_machine() const;
  /// Whether it makes sense to bind threads to nodes: there are several, and they are real.
  [[nodiscard]] bool has_nodes_to_bind_to() const { return node_count() > 1 && is_this_machine(); }
  /// The binding that Binding::automatic stands for here; any other is returned unchanged.
  [[nodiscard]] Binding resolved(Binding binding) const;

  /// Binds the calling thread to what `binding` says around that processor, a number in processors(). False
  /// when the system refuses.
  bool bind_this_thread(std::uint32_t processor, Binding binding) const;
  /// Binds the calling thread to all processors of a node, a number in nodes(). False when the system
  /// refuses.
  bool bind_this_thread_to_node(std::uint32_t node) const;

 private:
  struct Release {
    void operator()(hwloc_topology* topology) const;
  };

  void load();
  void read_processors();
  void number_nodes();
  void read_distances();
  void read_caches();

  std::unique_ptr<hwloc_topology, Release> topology_;  // null when hwloc could not look
  std::uint32_t core_count_ = 1;
  std::vector<Processor> processors_;  // in hwloc's order, which keeps neighbours together
  std::vector<MemoryNode> nodes_;
  std::vector<std::uint32_t> logical_numbers_;  // hwloc's, of the nodes
  std::vector<std::uint32_t> distances_;        // by row, from each node
  std::vector<CacheKind> caches_;
};

}  // namespace jackdaw::machine
