// MemoryNodes: where the memory of a heap's chunks lies, on a machine with several memory nodes.
//
// A chunk's memory is bound before it is touched, its header with the mark bits included. The system may
// choose another node when one is full: memory far away is better than none. (mbind is called directly:
// hwloc's function for it calls malloc, which may be the heap's own client.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace jackdaw::heap {

/// Never changes after it was made; any thread.
class MemoryNodes {
 public:
  static constexpr std::size_t kMostNodes = 64;
  static constexpr std::size_t kMostProcessors = 1024;

  /// Memory nodes by the system's numbers.
  using SystemNumbers = std::span<const std::uint32_t>;

  /// Lets the system place memory: as a rule near the thread that first writes to a page.
  MemoryNodes() = default;
  /// Places each chunk on one node, and threads allocate from chunks near them. `nodes` has at least one;
  /// those beyond kMostNodes are left out. `node_of_processor`: for each processor, by the system's number,
  /// the index of its node in `nodes`; processors of a node that is left out, and those beyond
  /// kMostProcessors, count as near the first.
  static MemoryNodes local(SystemNumbers nodes, std::span<const std::uint32_t> node_of_processor);
  /// Spreads each chunk over all of the nodes, page by page.
  static MemoryNodes interleaved(SystemNumbers nodes);
  /// Places all chunks on one node.
  static MemoryNodes only(std::uint32_t node);

  /// Returns the number of kinds of chunks: one for each node where threads have chunks that are near them,
  /// else one.
  [[nodiscard]] std::uint32_t count() const { return policy_ == Policy::local ? node_count_ : 1; }
  /// Returns the kind of chunks, from 0 to count() - 1, that the calling thread should allocate from now.
  /// O(1), as a rule without a system call.
  [[nodiscard]] std::uint32_t near_this_thread() const { return count() == 1 ? 0 : node_of_this_processor(); }
  /// Places untouched memory, whole pages, where a chunk of that kind lies. False when the system refuses;
  /// then it places the memory.
  bool place(std::span<std::byte> memory, std::uint32_t kind) const;

 private:
  enum class Policy : std::uint8_t { system, local, interleaved, only };

  void set_nodes(SystemNumbers nodes);
  [[nodiscard]] std::uint32_t node_of_this_processor() const;

  Policy policy_ = Policy::system;
  std::uint32_t node_count_ = 1;
  std::array<std::uint32_t, kMostNodes> system_numbers_{};
  std::array<std::uint8_t, kMostProcessors> node_of_processor_{};
};

}  // namespace jackdaw::heap
