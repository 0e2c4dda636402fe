#include "gc/marking/memory_placement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "machine/topology.h"

namespace jackdaw::gc {

namespace {

using Policy = MemoryPlacement::Policy;

constexpr std::array<std::pair<std::string_view, Policy>, 4> kPolicies{{{"auto", Policy::automatic},
                                                                        {"system", Policy::system},
                                                                        {"local", Policy::local},
                                                                        {"interleave", Policy::interleave}}};
constexpr std::string_view kNodePrefix = "node:";

std::vector<std::uint32_t> system_numbers(const machine::Topology& machine) {
  std::vector<std::uint32_t> numbers;
  for (const machine::MemoryNode& node : machine.nodes()) numbers.push_back(node.system_number);
  return numbers;
}

heap::MemoryNodes local_nodes(const machine::Topology& machine) {
  std::vector<std::uint32_t> node_of_processor;
  for (const machine::Processor& processor : machine.processors()) {
    if (processor.system_number >= node_of_processor.size())
      node_of_processor.resize(processor.system_number + 1);
    node_of_processor[processor.system_number] = processor.node;
  }
  return heap::MemoryNodes::local(system_numbers(machine), node_of_processor);
}

// Returns the placement that a text names, whether or not its node exists; nothing for a text that is none of
// kMemoryPlacementForms.
std::optional<MemoryPlacement> placement_named(std::string_view text) {
  if (text.starts_with(kNodePrefix)) {
    MemoryPlacement placement{Policy::node};
    text.remove_prefix(kNodePrefix.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), placement.node);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return placement;
  }
  const auto* const found = std::find_if(kPolicies.begin(), kPolicies.end(),
                                         [&](const auto& policy) { return policy.first == text; });
  if (found == kPolicies.end()) return std::nullopt;
  return MemoryPlacement{found->second};
}

heap::MemoryNodes one_node(std::uint32_t node, const machine::Topology& machine) {
  if (node >= machine.node_count()) {
    throw std::invalid_argument("memory node " + std::to_string(node) + ": there are " +
                                std::to_string(machine.node_count()) + ", numbered from 0");
  }
  return machine.is_this_machine() ? heap::MemoryNodes::only(machine.nodes()[node].system_number)
                                   : heap::MemoryNodes();
}

}  // namespace

MemoryPlacement parse_memory_placement(std::string_view text) {
  const std::optional<MemoryPlacement> placement = placement_named(text);
  if (!placement) throw std::invalid_argument("must be " + std::string(kMemoryPlacementForms));
  memory_nodes(*placement);
  return *placement;
}

std::string to_string(const MemoryPlacement& placement) {
  if (placement.policy == Policy::node) return std::string(kNodePrefix) + std::to_string(placement.node);
  return std::string(std::find_if(kPolicies.begin(), kPolicies.end(), [&](const auto& policy) {
                       return policy.second == placement.policy;
                     })->first);
}

heap::MemoryNodes memory_nodes(const MemoryPlacement& placement) {
  if (placement.policy == Policy::system) return {};
  if (placement.policy != Policy::node && !machine::Topology::may_have_several_nodes()) return {};
  const machine::Topology& machine = machine::Topology::machine();
  if (placement.policy == Policy::node) return one_node(placement.node, machine);
  if (!machine.has_nodes_to_bind_to()) return {};
  return placement.policy == Policy::interleave ? heap::MemoryNodes::interleaved(system_numbers(machine))
                                                : local_nodes(machine);
}

}  // namespace jackdaw::gc
