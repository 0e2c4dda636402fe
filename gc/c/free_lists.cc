// Lists of free objects, which libgc lets programs read and take from. Here they are empty: free slots are
// found by the blocks' allocation bits.
#include "gc/c/free_lists.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>

#include "base/page_memory.h"
#include "gc/c/kinds.h"
#include "gc/c/log.h"
#include "gc/c/start.h"
#include "gc/c/undeclared.h"
#include "heap/chunk.h"
#include "heap/heap.h"

namespace jackdaw::c_interface {

namespace {

// A kind has one list for each number of granules up to this, and one for none, as in libgc.
constexpr std::size_t kLargestGranules = 128;
using Lists = std::array<void*, kLargestGranules + 1>;

// The lists of the kinds that GC_malloc and its relatives allocate.
constinit std::array<Lists, 4> lists_of_known_kinds{};

// The lists of kinds that the program made. Lists beyond these are not cleared.
constinit std::array<std::atomic<Lists*>, heap::KindTable::kMaximumKinds> lists_of_new_kinds{};
constinit std::atomic<std::size_t> new_lists{0};

// Entries are read first, since most are never written.
void clear(Lists& lists) {
  if (std::ranges::any_of(lists, [](const void* first) { return first != nullptr; })) lists.fill(nullptr);
}

void print_free_slots(const heap::Chunk& chunk, heap::KindNumber kind, std::size_t bytes, int& printed) {
  for (std::size_t index = heap::kFirstBlock; index < heap::kBlocksPerChunk; ++index) {
    const heap::BlockInfo& block = chunk.block(index);
    if (block.use != heap::BlockUse::small || chunk.kind(index) != kind || block.slot_bytes != bytes)
      continue;
    const auto* const start = reinterpret_cast<const std::byte*>(&chunk) + index * heap::kBlockBytes;
    for (std::size_t slot = 0; slot < block.slots(); ++slot) {
      const std::byte* const address = start + slot * bytes;
      if (chunk.is_allocated(address)) continue;
      GC_printf("Free object in heap block %p [%d]: %p\n", static_cast<const void*>(start), printed++,
                static_cast<const void*>(address));
    }
  }
}

}  // namespace

void forget_free_lists() {
  for (Lists& lists : lists_of_known_kinds) clear(lists);
  for (const std::atomic<Lists*>& lists : lists_of_new_kinds) {
    // Acquire: pairs with the release in GC_new_free_list_inner.
    if (Lists* const made = lists.load(std::memory_order_acquire)) clear(*made);
  }
}

#pragma GCC visibility push(default)
extern "C" {

// The lists are never freed.
void** GC_new_free_list_inner() {
  const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(Lists));
  if (memory.empty()) abort_program("there is no memory for the lists of a kind of objects");
  auto* const lists = reinterpret_cast<Lists*>(memory.data());
  // Relaxed: the number is unique. Release: pairs with the acquire in forget_free_lists.
  const std::size_t number = new_lists.fetch_add(1, std::memory_order_relaxed);
  if (number < lists_of_new_kinds.size()) lists_of_new_kinds[number].store(lists, std::memory_order_release);
  return lists->data();
}

void** GC_new_free_list() { return GC_new_free_list_inner(); }

void GC_print_free_list(int kind, std::size_t granules) {
  registered_collector().look_at_heap([&](heap::Heap& heap) {
    int printed = 0;
    heap.for_each_chunk([&](const heap::Chunk* chunk) {
      print_free_slots(*chunk, heap_kind(kind), granules * heap::kGranuleBytes, printed);
    });
  });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface

// At file scope, where their declarations are.
extern "C" {
void** const GC_objfreelist_ptr = jackdaw::c_interface::lists_of_known_kinds[0].data();
void** const GC_aobjfreelist_ptr = jackdaw::c_interface::lists_of_known_kinds[1].data();
void** const GC_uobjfreelist_ptr = jackdaw::c_interface::lists_of_known_kinds[2].data();
void** const GC_auobjfreelist_ptr = jackdaw::c_interface::lists_of_known_kinds[3].data();
}
