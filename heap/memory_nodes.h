// MemoryNodes: where the memory of a heap's chunks lies, on a machine with several memory nodes.
//
// A chunk's memory is bound before it is touched, its header with the mark bits included. The system is
// told what is wanted and may do otherwise when a node is full: memory far away is better than none. (mbind
// is called as it is: hwloc's function for it takes malloc, which may be the heap's own client.)
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

  /// The system's numbers of memory nodes.
  using SystemNumbers = std::span<const std::uint32_t>;

  /// Memory lies where the system puts it: near the thread that first writes to a page, as a rule.
  MemoryNodes() = default;
  /// Each chunk lies on one node, and threads allocate from chunks that are near them. `nodes`: one at
  /// least; what is beyond kMostNodes is left out. `node_of_processor`: by the system's number of a
  /// processor, the index in `nodes` of its node; processors of a node that is left out, and those beyond
  /// kMostProcessors, count as near the first.
  static MemoryNodes local(SystemNumbers nodes, std::span<const std::uint32_t> node_of_processor);
  /// All chunks lie on all of the nodes, page by page. `nodes` as above.
  static MemoryNodes interleaved(SystemNumbers nodes);
  /// All chunks lie on one node.
  static MemoryNodes only(std::uint32_t node);

  /// Kinds of chunks that there are: for each node one, where threads have chunks that are near them, else
  /// one.
  [[nodiscard]] std::uint32_t count() const { return policy_ == Policy::local ? node_count_ : 1; }
  /// The kind of chunks, from 0 to count() - 1, that the calling thread should allocate from now. O(1), no
  /// system call as a rule.
  [[nodiscard]] std::uint32_t near_this_thread() const { return count() == 1 ? 0 : node_of_this_processor(); }
  /// Has the system put memory, whole pages that were not touched yet, where a chunk of that kind lies. False
  /// when it refuses; then the memory lies where it likes.
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
