#include "machine/topology.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "machine/hwloc_library.h"

namespace jackdaw::machine {

namespace {

// The library, in functions that are called only when there is a topology, that is, when it was loaded.
const HwlocLibrary& hwloc() { return *HwlocLibrary::load(); }

struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc().bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

// Calls `visit` with each object of a type, in hwloc's order.
template <typename Visit>
void for_each_of_type(hwloc_topology_t topology, hwloc_obj_type_t type, Visit visit) {
  const int depth = hwloc().get_type_depth(topology, type);
  for (unsigned i = 0; hwloc_obj_t object = hwloc().get_obj_by_depth(topology, depth, i); ++i) visit(object);
}

hwloc_obj_t core_of(hwloc_obj_t processor) {
  hwloc_obj_t around = processor->parent;
  while (around != nullptr && around->type != HWLOC_OBJ_CORE) around = around->parent;
  return around;
}

// Whether the environment tells hwloc what to see.
bool environment_describes_machine() {
  for (const char* const* variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with("HWLOC_")) return true;
  }
  return false;
}

// The first memory node near the processor; null when none is known.
hwloc_obj_t nearest_node(hwloc_obj_t processor) {
  for (hwloc_obj_t around = processor; around != nullptr; around = around->parent) {
    for (hwloc_obj_t memory = around->memory_first_child; memory != nullptr; memory = memory->next_sibling) {
      if (memory->type == HWLOC_OBJ_NUMANODE) return memory;
    }
  }
  return nullptr;
}

// Leaves only the processors that the calling thread may run on. (hwloc's own flag for that would make it
// take a described machine for this one.)
void restrict_to_this_thread(hwloc_topology_t topology) {
  if (hwloc().topology_is_thissystem(topology) == 0) return;
  const Bitmap usable(hwloc().bitmap_alloc());
  if (usable != nullptr && hwloc().get_cpubind(topology, usable.get(), HWLOC_CPUBIND_THREAD) == 0)
    hwloc().topology_restrict(topology, usable.get(), 0);
}

}  // namespace

void Topology::Release::operator()(hwloc_topology* topology) const { hwloc().topology_destroy(topology); }

Topology::Topology() {
  load();
  read_processors();
  number_nodes();
  distances_.assign(nodes_.size() * nodes_.size(), base::NodeDistance::kFar);
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    distances_[node * nodes_.size() + node] = base::NodeDistance::kNear;
  if (topology_ == nullptr) return;
  read_distances();
  read_caches();
}

Topology::~Topology() = default;

const Topology& Topology::machine() {
  static const Topology kMachine;
  return kMachine;
}

bool Topology::may_have_several_nodes() {
  if (environment_describes_machine()) return true;
  const int file = open("/sys/devices/system/node/online", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;  // hwloc would find nothing either
  std::array<char, 64> nodes{};
  const ssize_t length = read(file, nodes.data(), nodes.size());
  close(file);
  if (length <= 0) return false;
  // A list of ranges, such as "0-3,8".
  const std::string_view list(nodes.data(), static_cast<std::size_t>(length));
  return list.find_first_of(",-") != std::string_view::npos;
}

void Topology::load() {
  hwloc_topology_t topology = nullptr;
  if (HwlocLibrary::load() == nullptr || hwloc().topology_init(&topology) != 0) return;
  topology_.reset(topology);
  // Threads of the program must not be moved, not even for a moment.
  hwloc().topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  if (hwloc().topology_load(topology) != 0) {
    topology_.reset();
  } else {
    restrict_to_this_thread(topology);
  }
}

// Nodes have hwloc's logical numbers at first, which may have gaps.
void Topology::read_processors() {
  std::uint32_t last_core = 0;
  const auto add = [&](hwloc_obj_t processor) {
    const hwloc_obj_t node = nearest_node(processor);
    const hwloc_obj_t core = core_of(processor);
    const std::uint32_t core_number = core != nullptr ? core->logical_index : processor->logical_index;
    if (!processors_.empty() && core_number != last_core) ++core_count_;
    last_core = core_number;
    processors_.push_back({processor->os_index, node != nullptr ? node->logical_index : 0, core_count_ - 1});
  };
  if (topology_ != nullptr) for_each_of_type(topology_.get(), HWLOC_OBJ_PU, add);
  if (processors_.empty()) processors_.emplace_back();
}

void Topology::number_nodes() {
  for (const Processor& processor : processors_) logical_numbers_.push_back(processor.node);
  std::sort(logical_numbers_.begin(), logical_numbers_.end());
  logical_numbers_.erase(std::unique(logical_numbers_.begin(), logical_numbers_.end()),
                         logical_numbers_.end());
  for (Processor& processor : processors_) {
    const auto place = std::lower_bound(logical_numbers_.begin(), logical_numbers_.end(), processor.node);
    processor.node = static_cast<std::uint32_t>(place - logical_numbers_.begin());
  }
  nodes_.resize(logical_numbers_.size());
  if (topology_ == nullptr) return;
  for_each_of_type(topology_.get(), HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t node) {
    const auto place = std::ranges::find(logical_numbers_, node->logical_index);
    if (place != logical_numbers_.end())
      nodes_[static_cast<std::size_t>(place - logical_numbers_.begin())] = {
          node->os_index, node->attr->numanode.local_memory};
  });
}

void Topology::read_distances() {
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc().distances_get_by_type(topology_.get(), HWLOC_OBJ_NUMANODE, &count, &matrix,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0)
    return;
  // The lambda maps a column of the matrix, by way of the system's node number, to our number of the node.
  const auto ours = [&](unsigned column) -> std::size_t {
    const auto is_same = [&](const MemoryNode& node) {
      return node.system_number == matrix->objs[column]->os_index;
    };
    return static_cast<std::size_t>(std::find_if(nodes_.begin(), nodes_.end(), is_same) - nodes_.begin());
  };
  for (unsigned row = 0; row < matrix->nbobjs; ++row) {
    for (unsigned column = 0; column < matrix->nbobjs; ++column) {
      if (ours(row) == nodes_.size() || ours(column) == nodes_.size()) continue;
      distances_[ours(row) * nodes_.size() + ours(column)] =
          static_cast<std::uint32_t>(matrix->values[row * matrix->nbobjs + column]);
    }
  }
  hwloc().distances_release(topology_.get(), matrix);
}

void Topology::read_caches() {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
    for_each_of_type(topology_.get(), type, [&](hwloc_obj_t cache) {
      const auto sharing = static_cast<std::uint32_t>(std::max(0, hwloc().bitmap_weight(cache->cpuset)));
      if (sharing == 0) return;
      const auto& attributes = cache->attr->cache;
      if (caches_.empty() || caches_.back().level != attributes.depth ||
          caches_.back().bytes != attributes.size)
        caches_.push_back({attributes.depth, attributes.size, 0, 0});
      ++caches_.back().count;
      caches_.back().processors = std::max(caches_.back().processors, sharing);
    });
  }
}

std::vector<std::uint32_t> Topology::homes_of_workers(std::uint32_t workers) const {
  std::vector<std::uint32_t> homes(workers);
  for (std::size_t i = 0; i < workers; ++i)
    homes[i] = static_cast<std::uint32_t>(i * processors_.size() / workers);
  return homes;
}

std::vector<std::uint32_t> Topology::nodes_of_workers(std::uint32_t workers) const {
  std::vector<std::uint32_t> nodes = homes_of_workers(workers);
  for (std::uint32_t& place : nodes) place = processors_[place].node;
  return nodes;
}

bool Topology::is_this_machine() const {
  return topology_ != nullptr && hwloc().topology_is_thissystem(topology_.get()) != 0;
}

Binding Topology::resolved(Binding binding) const {
  if (binding != Binding::automatic) return binding;
  return has_nodes_to_bind_to() ? Binding::node : Binding::none;
}

bool Topology::bind_this_thread(std::uint32_t processor, Binding binding) const {
  const Binding wanted = resolved(binding);
  if (wanted == Binding::none) return true;
  if (!is_this_machine()) return false;
  const Bitmap allowed(hwloc().bitmap_alloc());
  if (allowed == nullptr) return false;
  const Processor& home = processors_[processor];
  for (const Processor& other : processors_) {
    if (wanted == Binding::node ? other.node == home.node : other.core == home.core)
      hwloc().bitmap_set(allowed.get(), other.system_number);
  }
  return hwloc().set_cpubind(topology_.get(), allowed.get(), HWLOC_CPUBIND_THREAD) == 0;
}

bool Topology::bind_this_thread_to_node(std::uint32_t node) const {
  const auto processor = std::ranges::find(processors_, node, &Processor::node);
  return processor != processors_.end() &&
         bind_this_thread(static_cast<std::uint32_t>(processor - processors_.begin()), Binding::node);
}

}  // namespace jackdaw::machine
