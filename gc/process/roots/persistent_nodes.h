// PersistentNodes: references to objects from outside the heap, in pages of their own, where a collection
// finds them wherever the program keeps the handles.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "gc/process/roots/persistent_node.h"
#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::gc {

/// A table of nodes. A collection may come at any instruction of its functions. Its memory is never returned
/// to the system.
class PersistentNodes {
 public:
  using Node = PersistentNode;

  PersistentNodes() = default;
  ~PersistentNodes();
  PersistentNodes(const PersistentNodes&) = delete;
  PersistentNodes& operator=(const PersistentNodes&) = delete;

  /// Returns a node that holds `address`, for the code at `maker`. Throws std::bad_alloc. Any thread.
  Node& acquire(std::uintptr_t address, const void* maker);
  /// Releases a node. Any thread.
  void release(Node& node);

  /// While it is held, only the addresses in nodes change.
  StoppableMutex& mutex() { return mutex_; }

  /// Calls `function(Node&)` for all nodes that hold an address. While the program is stopped.
  template <typename Function>
  void for_each(Function function) {
    // Acquire: pairs with the release in add_block.
    for (Block* block = blocks_.load(std::memory_order_acquire); block != nullptr; block = block->next) {
      for (Node& node : block->nodes) {
        const std::uintptr_t word = node.word.load(std::memory_order_relaxed);
        if (word != 0 && (word & kFree) == 0) function(node);
      }
    }
  }
  /// Makes all references null. While the program is stopped.
  void clear() {
    // Relaxed: see PersistentNode.
    for_each([](Node& node) { node.word.store(0, std::memory_order_relaxed); });
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 14;
  // A free node holds the address of the next, or 0, and this bit.
  static constexpr std::uintptr_t kFree = 1;

  struct Block {
    Block* next;
    Node nodes[kBlockBytes / sizeof(Node) - 1];  // NOLINT(modernize-avoid-c-arrays)
  };

  void add_block();

  std::atomic<Block*> blocks_{nullptr};
  StoppableMutex mutex_;  // guards the list of free nodes; a stopped thread may hold it
  Node* free_ = nullptr;
};

}  // namespace jackdaw::gc
