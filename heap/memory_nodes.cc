#include "heap/memory_nodes.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace jackdaw::heap {

namespace {

// A set of nodes in the form that mbind takes.
class NodeMask {
 public:
  void add(std::uint32_t node) {
    if (node < kBits) words_[node / kWordBits] |= 1UL << (node % kWordBits);
  }
  // Applies policy `mode` to memory that was not touched yet. False when the set is empty, or the system
  // refuses.
  [[nodiscard]] bool bind(std::span<std::byte> memory, int mode) const {
    if (std::ranges::all_of(words_, [](unsigned long word) { return word == 0; })) return false;
    const int error = errno;
    // The kernel ignores the last of the bits that it is told of.
    const bool done =
        syscall(SYS_mbind, memory.data(), memory.size(), mode, words_.data(), kBits + 1, 0) == 0;
    errno = error;
    return done;
  }

 private:
  static constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
  static constexpr std::size_t kBits = 1024;
  std::array<unsigned long, kBits / kWordBits> words_{};
};

}  // namespace

MemoryNodes MemoryNodes::local(SystemNumbers nodes, std::span<const std::uint32_t> node_of_processor) {
  MemoryNodes result;
  result.policy_ = Policy::local;
  result.set_nodes(nodes);
  const std::size_t processors = std::min(node_of_processor.size(), kMostProcessors);
  for (std::size_t i = 0; i < processors; ++i) {
    const std::uint32_t node = node_of_processor[i];
    result.node_of_processor_[i] = static_cast<std::uint8_t>(node < result.node_count_ ? node : 0);
  }
  return result;
}

MemoryNodes MemoryNodes::interleaved(SystemNumbers nodes) {
  MemoryNodes result;
  result.policy_ = Policy::interleaved;
  result.set_nodes(nodes);
  return result;
}

MemoryNodes MemoryNodes::only(std::uint32_t node) {
  MemoryNodes result;
  result.policy_ = Policy::only;
  result.set_nodes({&node, 1});
  return result;
}

void MemoryNodes::set_nodes(SystemNumbers nodes) {
  node_count_ = static_cast<std::uint32_t>(std::min(nodes.size(), kMostNodes));
  std::copy_n(nodes.begin(), node_count_, system_numbers_.begin());
}

std::uint32_t MemoryNodes::node_of_this_processor() const {
  const auto processor = static_cast<std::size_t>(std::max(sched_getcpu(), 0));
  return processor < kMostProcessors ? node_of_processor_[processor] : 0;
}

bool MemoryNodes::place(std::span<std::byte> memory, std::uint32_t kind) const {
  if (policy_ == Policy::system) return true;
  NodeMask nodes;
  if (policy_ == Policy::interleaved) {
    for (std::uint32_t i = 0; i < node_count_; ++i) nodes.add(system_numbers_[i]);
    return nodes.bind(memory, MPOL_INTERLEAVE);
  }
  nodes.add(system_numbers_[policy_ == Policy::only ? 0 : kind]);
  return nodes.bind(memory, MPOL_PREFERRED);
}

}  // namespace jackdaw::heap
