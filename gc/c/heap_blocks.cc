// Blocks of the heap, for programs that look at them: gc_mark.h, and GC_foreach_heap_section_inner.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gc/c/object_start.h"
#include "gc/c/start.h"
#include "heap/chunk.h"
#include "heap/heap.h"
#include "heap/layout.h"

namespace jackdaw::c_interface {

namespace {

// A block, or the neighbouring blocks of a large object or a span.
struct Part {
  std::byte* start;
  std::size_t bytes;
  std::size_t used;  // from the start on; 0: there are no objects
  bool is_given_back;
};

// Whether it is free follows from its use: 0 bytes.
Part part_at(const heap::Chunk& chunk, std::size_t index) {
  const heap::BlockInfo& block = chunk.block(index);
  // The interface's types have no const.
  std::byte* const start = const_cast<heap::Chunk&>(chunk).block_start(index);
  if (block.use == heap::BlockUse::free) return {start, heap::kBlockBytes, 0, chunk.is_given_back(index)};
  if (block.use == heap::BlockUse::small)
    return {start, heap::kBlockBytes, std::size_t{block.slots()} * block.slot_bytes, false};
  const std::size_t bytes = std::size_t{block.blocks} * heap::kBlockBytes;
  return {start, bytes, block.use == heap::BlockUse::span ? bytes : block.large_bytes, false};
}

// Calls `function(Part)` for all parts of a chunk, in order.
template <typename Function>
void for_each_part(const heap::Chunk& chunk, Function function) {
  const std::size_t end = heap::kFirstBlock + std::min(chunk.usable_blocks(), heap::kUsableBlocks);
  for (std::size_t index = heap::kFirstBlock; index < end;) {
    const Part part = part_at(chunk, index);
    function(part);
    index += part.bytes / heap::kBlockBytes;
  }
}

// Calls `function(const Chunk&)` for all chunks.
template <typename Function>
void for_each_chunk(Function function) {
  registered_collector().look_at_heap(
      [&](heap::Heap& heap) { heap.for_each_chunk([&](const heap::Chunk* chunk) { function(*chunk); }); });
}

template <typename Function>
void for_each_part(Function function) {
  for_each_chunk([&](const heap::Chunk& chunk) { for_each_part(chunk, function); });
}

GC_hblk_s* block_at(std::byte* start) { return reinterpret_cast<GC_hblk_s*>(start); }

void tell_section(const heap::Chunk& chunk, GC_heap_section_proc function, void* data) {
  std::byte* const start = const_cast<heap::Chunk&>(chunk).block_start(heap::kFirstBlock);
  function(start, start + chunk.usable_blocks() * heap::kBlockBytes, GC_HEAP_SECTION_TYPE_WHOLE_SECT, data);
  for_each_part(chunk, [=](const Part& part) {
    const auto tell = [&](std::size_t from, std::size_t end, GC_heap_section_type type) {
      if (from != end) function(part.start + from, part.start + end, type, data);
    };
    if (part.used == 0) {
      tell(0, part.bytes, part.is_given_back ? GC_HEAP_SECTION_TYPE_UNMAPPED : GC_HEAP_SECTION_TYPE_FREE);
    } else {
      tell(0, part.used, GC_HEAP_SECTION_TYPE_USED);
      tell(part.used, part.bytes, GC_HEAP_SECTION_TYPE_PADDING);
    }
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

std::size_t GC_get_hblk_size() { return heap::kBlockBytes; }

void GC_apply_to_all_blocks(GC_walk_hblk_fn function, void* data) {
  for_each_part([=](const Part& part) {
    if (part.used != 0) function(block_at(part.start), data);
  });
}

void GC_iterate_free_hblks(GC_walk_free_blk_fn function, void* data) {
  for_each_part([=](const Part& part) {
    if (part.used == 0) function(block_at(part.start), 0, data);
  });
}

void GC_foreach_heap_section_inner(GC_heap_section_proc function, void* data) {
  for_each_chunk([=](const heap::Chunk& chunk) { tell_section(chunk, function, data); });
}

unsigned GC_count_set_marks_in_hblk(const void* address) {
  const std::uintptr_t start =
      collector().heap().map().start_of_object_at(reinterpret_cast<std::uintptr_t>(address));
  if (start == 0) return 0;
  const auto* const object = reinterpret_cast<const std::byte*>(start);  // NOLINT(performance-no-int-to-ptr)
  const heap::Chunk& chunk = *heap::Chunk::of(object);
  const std::size_t index = chunk.block_index(object);
  if (chunk.block(index).use == heap::BlockUse::small) return chunk.count_marks(index);
  return chunk.is_allocated(object) && chunk.is_marked(object) ? 1 : 0;
}

GC_hblk_s* GC_is_black_listed(GC_hblk_s* block, std::size_t bytes) {
  const heap::BlockMap& map = collector().heap().map();
  std::byte* const start = reinterpret_cast<std::byte*>(block);
  std::size_t offset = 0;
  do {
    const auto address = reinterpret_cast<std::uintptr_t>(start + offset);
    if (!map.covers(address)) return nullptr;
    offset += heap::kBlockBytes;
    if (map.is_blacklisted(address)) return block_at(start + offset);
  } while (offset < bytes);
  return nullptr;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
