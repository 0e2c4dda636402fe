// SystemNode: the machine's memory nodes and their processors as the kernel lists them: what the engine's
// view of the machine, which comes by way of hwloc, is held to.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace jackdaw::numa {

/// The processors of a list as the kernel writes it, such as "0-3,8". Throws std::invalid_argument where a
/// number should be and is not.
inline std::set<std::uint32_t> parse_processors(const std::string& list) {
  std::set<std::uint32_t> processors;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t dash = range.find('-');
    const auto first = static_cast<std::uint32_t>(std::stoul(range));
    const auto last =
        dash == std::string::npos ? first : static_cast<std::uint32_t>(std::stoul(range.substr(dash + 1)));
    for (std::uint32_t processor = first; processor <= last; ++processor) processors.insert(processor);
  }
  return processors;
}

struct SystemNode {
  std::uint32_t number = 0;
  std::set<std::uint32_t> processors;
  std::vector<std::uint32_t> distances;  ///< to each node
};

/// The nodes that have a processor, in the order of their numbers, which is that of machine::Topology. Throws
/// std::filesystem::filesystem_error where the kernel has no list of nodes.
inline std::vector<SystemNode> system_nodes() {
  std::vector<SystemNode> nodes;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node")) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("node")) continue;
    std::string list;
    std::getline(std::ifstream(entry.path() / "cpulist"), list);
    SystemNode node{static_cast<std::uint32_t>(std::stoul(name.substr(4))), parse_processors(list), {}};
    std::ifstream distances(entry.path() / "distance");
    node.distances.assign(std::istream_iterator<std::uint32_t>(distances), {});
    if (!node.processors.empty()) nodes.push_back(std::move(node));
  }
  std::ranges::sort(nodes, {}, &SystemNode::number);
  return nodes;
}

/// The processors that the calling thread may run on.
inline std::set<std::uint32_t> processors_of_this_thread() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) throw std::runtime_error("sched_getaffinity");
  std::set<std::uint32_t> processors;
  for (std::uint32_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed)) processors.insert(processor);
  }
  return processors;
}

}  // namespace jackdaw::numa
