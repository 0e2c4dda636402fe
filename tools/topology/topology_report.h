// The report of `jackdaw topology` on a machine: a table for people, JSON for machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gc/process/concurrent/write_tracking.h"
#include "machine/topology.h"

namespace jackdaw::tools {

struct MachineReport {
  bool is_there = true;                 ///< it is not described by an environment variable
  std::uint32_t cores = 1;              ///< that the process may use
  std::uint32_t processors = 1;         ///< on those cores
  std::uint32_t usable_processors = 1;  ///< threads that can run at once, if a container leaves less time
  std::uint64_t available_bytes = 0;    ///< that the process can still take
  gc::WriteTrackingMethod write_tracking = gc::WriteTrackingMethod::none;
  std::vector<machine::CacheKind> caches;

  struct Node {
    machine::MemoryNode memory;
    std::uint32_t cores = 0;
    std::vector<std::uint32_t> processors;  ///< the system's numbers, ascending
    std::vector<std::uint32_t> distances;   ///< to each node
  };
  std::vector<Node> nodes;

  machine::Binding binding = machine::Binding::none;  ///< of the mark threads, never automatic
  /// Each mark thread's home processor, to which it is bound, or near which it is, unless the binding is
  /// none.
  std::vector<machine::Processor> homes;
};

/// `threads`: the number of mark threads to place.
MachineReport describe_machine(const machine::Topology& machine, std::uint32_t threads,
                               machine::Binding binding);

/// Formats a table. Ends with a newline.
std::string format_machine(const MachineReport& report);

/// Formats JSON with the keys that docs/command.md lists. Ends with a newline.
std::string machine_to_json(const MachineReport& report);

}  // namespace jackdaw::tools
