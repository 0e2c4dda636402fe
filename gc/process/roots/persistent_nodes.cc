#include "gc/process/roots/persistent_nodes.h"

#include <new>
#include <span>

#include "base/check.h"
#include "base/page_memory.h"

namespace jackdaw::gc {

PersistentNodes::~PersistentNodes() {
  // Relaxed: no other thread is left.
  Block* block = blocks_.load(std::memory_order_relaxed);
  while (block != nullptr) {
    Block* const next = block->next;
    base::PageMemory::release({reinterpret_cast<std::byte*>(block), sizeof(Block)});
    block = next;
  }
}

PersistentNodes::Node& PersistentNodes::acquire(std::uintptr_t address, const void* maker) {
  const std::lock_guard lock(mutex_);
  if (free_ == nullptr) add_block();
  Node& node = *free_;
  // Relaxed, here and below: the lock orders all that threads write, and a collection waits for them.
  JACKDAW_CHECK((node.word.load(std::memory_order_relaxed) & kFree) != 0);
  free_ = reinterpret_cast<Node*>(node.word.load(std::memory_order_relaxed) & ~kFree);
  node.maker = maker;
  node.word.store(address, std::memory_order_relaxed);
  return node;
}

void PersistentNodes::release(Node& node) {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(&node != free_);
  node.word.store(reinterpret_cast<std::uintptr_t>(free_) | kFree, std::memory_order_relaxed);
  free_ = &node;
}

void PersistentNodes::add_block() {
  const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(Block));
  if (memory.empty()) throw std::bad_alloc();
  auto* const block = new (memory.data()) Block{};
  for (Node& node : block->nodes) {
    node.word.store(reinterpret_cast<std::uintptr_t>(free_) | kFree, std::memory_order_relaxed);
    free_ = &node;
  }
  // Relaxed: written under the lock.
  block->next = blocks_.load(std::memory_order_relaxed);
  // Release: pairs with the acquire in for_each.
  blocks_.store(block, std::memory_order_release);
}

}  // namespace jackdaw::gc
