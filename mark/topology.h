// Topology: the machine's memory nodes and processors, as hwloc sees them, and which worker is at home where.
//
// hwloc honours the process's affinity and container, and its environment variables: with HWLOC_SYNTHETIC
// (such as "numa:4 core:4 pu:1") it describes a machine that is not there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

struct hwloc_topology;

namespace jackdaw::mark {

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

  /// Whether machine() may have several memory nodes. Where it cannot, this spares a small process to look at
  /// the machine: hwloc and what it loads take milliseconds and megabytes. Any thread.
  static bool may_have_several_nodes();

  /// Memory nodes that have a processor that this process may use; at least 1.
  [[nodiscard]] std::uint32_t node_count() const { return node_count_; }
  /// Processors that this process may use; at least 1.
  [[nodiscard]] std::uint32_t processor_count() const {
    return static_cast<std::uint32_t>(node_of_processor_.size());
  }

  /// The node, from 0 to node_count() - 1, of each of so many workers: they are spread evenly over the
  /// processors, neighbours beside one another. O(workers).
  [[nodiscard]] std::vector<std::uint32_t> nodes_of_workers(std::uint32_t workers) const;

  /// Whether it makes sense to tie threads to nodes: there are several, and they are really there.
  [[nodiscard]] bool has_nodes_to_bind_to() const;

  /// Ties the calling thread to the processors of a node. False when the system refuses.
  bool bind_this_thread(std::uint32_t node) const;

 private:
  struct Release {
    void operator()(hwloc_topology* topology) const;
  };

  void read_processors();

  std::unique_ptr<hwloc_topology, Release> topology_;  // null when hwloc could not look
  std::uint32_t node_count_ = 1;
  std::vector<std::uint32_t> node_of_processor_;  // in hwloc's order, which keeps neighbours together
};

}  // namespace jackdaw::mark
