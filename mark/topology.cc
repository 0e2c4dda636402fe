#include "mark/topology.h"

#include <fcntl.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace jackdaw::mark {

namespace {

// Whether the environment tells hwloc what to see.
bool environment_describes_machine() {
  for (const char* const* variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with("HWLOC_")) return true;
  }
  return false;
}

// Puts hwloc's numbers of the nodes that occur, which may have gaps, into 0, 1, 2, ... Returns how many.
std::uint32_t renumber(std::vector<std::uint32_t>& nodes) {
  std::vector<std::uint32_t> used = nodes;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (std::uint32_t& node : nodes) {
    node = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), node) - used.begin());
  }
  return static_cast<std::uint32_t>(used.size());
}

// The logical number of the first memory node near the processor; 0 when none is known.
std::uint32_t nearest_node(hwloc_obj_t processor) {
  for (hwloc_obj_t around = processor; around != nullptr; around = around->parent) {
    for (hwloc_obj_t memory = around->memory_first_child; memory != nullptr; memory = memory->next_sibling) {
      if (memory->type == HWLOC_OBJ_NUMANODE) return memory->logical_index;
    }
  }
  return 0;
}

}  // namespace

void Topology::Release::operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }

Topology::Topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) == 0) {
    topology_.reset(topology);
    if (hwloc_topology_load(topology) != 0) topology_.reset();
  }
  read_processors();
}

Topology::~Topology() = default;

const Topology& Topology::machine() {
  static const Topology kMachine;
  return kMachine;
}

bool Topology::may_have_several_nodes() {
  if (environment_describes_machine()) return true;
  const int file = open("/sys/devices/system/node/online", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;  // hwloc would learn no more
  std::array<char, 64> nodes{};
  const ssize_t length = read(file, nodes.data(), nodes.size());
  close(file);
  if (length <= 0) return false;
  // A list of ranges, such as "0-3,8".
  const std::string_view list(nodes.data(), static_cast<std::size_t>(length));
  return list.find_first_of(",-") != std::string_view::npos;
}

void Topology::read_processors() {
  if (topology_ != nullptr) {
    hwloc_obj_t processor = nullptr;
    while ((processor = hwloc_get_next_obj_by_type(topology_.get(), HWLOC_OBJ_PU, processor)) != nullptr) {
      node_of_processor_.push_back(nearest_node(processor));
    }
  }
  if (node_of_processor_.empty()) node_of_processor_.push_back(0);
  node_count_ = renumber(node_of_processor_);
}

std::vector<std::uint32_t> Topology::nodes_of_workers(std::uint32_t workers) const {
  std::vector<std::uint32_t> nodes(workers);
  for (std::size_t i = 0; i < workers; ++i) nodes[i] = node_of_processor_[i * processor_count() / workers];
  return nodes;
}

bool Topology::has_nodes_to_bind_to() const {
  return node_count_ > 1 && hwloc_topology_is_thissystem(topology_.get()) != 0;
}

bool Topology::bind_this_thread(std::uint32_t node) const {
  if (topology_ == nullptr) return false;
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> processors(hwloc_bitmap_alloc(),
                                                                                 &hwloc_bitmap_free);
  if (processors == nullptr) return false;
  hwloc_obj_t processor = nullptr;
  for (const std::uint32_t of_processor : node_of_processor_) {
    processor = hwloc_get_next_obj_by_type(topology_.get(), HWLOC_OBJ_PU, processor);
    if (of_processor == node) hwloc_bitmap_or(processors.get(), processors.get(), processor->cpuset);
  }
  return hwloc_set_cpubind(topology_.get(), processors.get(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace jackdaw::mark
