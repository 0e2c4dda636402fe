#include "heap/heap.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "heap/allocator.h"

namespace jackdaw::heap {

namespace {

// An object of its own chunk starts right after the chunk's header.
constexpr std::size_t kHeaderBytes = kFirstBlock * kBlockBytes;

// Of the chunks that a collection left empty, one in so many of all chunks is kept for the next allocations.
constexpr std::size_t kChunksPerSpare = 8;

constexpr std::size_t blocks_of(std::size_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes; }

}  // namespace

// With a limit, twice as many addresses: chunks of different lengths leave gaps.
Heap::Heap(std::size_t limit_bytes)
    : limit_bytes_(limit_bytes),
      space_(limit_bytes < HeapSpace::default_bytes() / 2 ? 2 * limit_bytes : HeapSpace::default_bytes()) {}

Heap::~Heap() = default;

void Heap::register_allocator(Allocator* allocator) {
  const std::lock_guard lock(mutex_);
  allocators_.push_back(allocator);
}

void Heap::unregister_allocator(Allocator* allocator) {
  const std::lock_guard lock(mutex_);
  allocator->give_up_blocks();
  std::erase(allocators_, allocator);
}

bool Heap::within_budget(std::uint64_t bytes) const {
  // Relaxed: see set_budget.
  const std::uint64_t budget = budget_.load(std::memory_order_relaxed);
  return bytes <= budget && allocated_bytes() <= budget - bytes;
}

void Heap::count_allocated(std::uint64_t bytes) {
  // Relaxed: see allocated_bytes. Written under the lock only.
  allocated_bytes_.store(allocated_bytes() + bytes, std::memory_order_relaxed);
}

SmallBlock Heap::acquire_block(std::uint8_t size_class, Contents contents) {
  const std::lock_guard lock(mutex_);
  std::byte*& partly_free = partly_free_of(size_class, contents);
  std::uint64_t bytes = kBlockBytes;
  if (partly_free != nullptr) {
    const Chunk& chunk = *Chunk::of(partly_free);
    bytes = chunk.block(chunk.block_index(partly_free)).free_bytes();
  }
  if (!within_budget(bytes)) return {};
  const SmallBlock block = partly_free != nullptr ? take_first(partly_free) : take_free(size_class, contents);
  if (block.chunk == nullptr) return {};
  block.chunk->block(block.index).owned = true;
  count_allocated(bytes);
  return block;
}

void Heap::give_up_block(const SmallBlock& block) {
  const std::lock_guard lock(mutex_);
  block.chunk->block(block.index).owned = false;
}

SmallBlock Heap::take_first(std::byte*& list) {
  Chunk* const chunk = Chunk::of(list);
  const std::size_t index = chunk->block_index(list);
  list = chunk->block(index).next_partly_free;
  return {chunk, index};
}

SmallBlock Heap::take_free(std::uint8_t size_class, Contents contents) {
  SmallBlock block;
  block.chunk = chunk_with_free_blocks(1, block.index);
  if (block.chunk == nullptr) return {};
  BlockInfo info;
  info.use = BlockUse::small;
  info.size_class = size_class;
  info.slot_bytes = SizeClasses::slot_bytes(size_class);
  block.chunk->take_block(block.index, info, contents);
  space_.map().set(reinterpret_cast<std::uintptr_t>(block.chunk->block_start(block.index)),
                   BlockShape::of_slots(info.slot_bytes));
  return block;
}

Object* Heap::allocate_large(std::size_t bytes, Contents contents) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return nullptr;  // so that no sum below overflows
  const std::size_t count = blocks_of(bytes);
  const bool is_oversized = count > kUsableBlocks;
  std::byte* start = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t charged = is_oversized ? bytes : count * kBlockBytes;
    if (!within_budget(charged)) return nullptr;
    std::size_t first = kFirstBlock;
    Chunk* const chunk =
        is_oversized ? add_chunk(kHeaderBytes + bytes) : chunk_with_free_blocks(count, first);
    if (chunk == nullptr) return nullptr;
    take_large(chunk, first, bytes, contents);
    start = chunk->block_start(first);
    count_allocated(charged);
  }
  auto* const object = reinterpret_cast<Object*>(start);
  std::memset(start, 0, bytes);
  if (contents == Contents::references) object->set_type(TypeDescriptor::unused());
  return object;
}

// Of an object that no chunk holds, only the blocks of the first kChunkBytes are in the chunk's table; the
// map has them all.
void Heap::take_large(Chunk* chunk, std::size_t first, std::size_t bytes, Contents contents) {
  BlockInfo info;
  info.use = BlockUse::large_head;
  info.blocks = static_cast<std::uint32_t>(blocks_of(bytes));
  info.large_bytes = bytes;
  for (std::uint32_t index = 0; index < blocks_of(bytes); ++index) {
    const std::size_t block = first + index;
    if (block < kBlocksPerChunk) chunk->take_block(block, info, contents);
    space_.map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(block)),
                     BlockShape::of_large(index));
    info.use = BlockUse::large_tail;
  }
  chunk->set_allocated(chunk->block_start(first));
}

void Heap::release_blocks(Chunk* chunk, std::size_t first, std::size_t count) {
  for (std::size_t block = first; block < first + count; ++block) {
    if (block < kBlocksPerChunk) chunk->release_block(block);
    space_.map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(block)), {});
  }
}

Object* Heap::object_at(const void* address) const {
  const std::uintptr_t start = space_.map().start_of_object_at(reinterpret_cast<std::uintptr_t>(address));
  if (start == 0) return nullptr;
  auto* const object = reinterpret_cast<Object*>(start);  // NOLINT(performance-no-int-to-ptr)
  Chunk* const chunk = Chunk::of(object);
  if (!chunk->is_allocated(object)) return nullptr;
  const BlockInfo& info = chunk->block(chunk->block_index(reinterpret_cast<const std::byte*>(object)));
  if (info.use == BlockUse::large_head &&
      static_cast<const std::byte*>(address) >= reinterpret_cast<const std::byte*>(object) + info.large_bytes)
    return nullptr;
  // A slot that an allocator has before it has no type yet.
  const bool is_unused =
      chunk->contents_of(object) == Contents::references && object->type() == &TypeDescriptor::unused();
  return is_unused ? nullptr : object;
}

void Heap::clear_marks() {
  for (Chunk* const chunk : chunks_) {
    for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
      if (chunk->block(block).use != BlockUse::free) chunk->clear_marks(block);
    }
  }
}

SweepResult Heap::sweep(OwnedBlocks owned) {
  const std::lock_guard lock(mutex_);
  SweepResult result;
  if (owned == OwnedBlocks::taken_back) {
    for (Allocator* const allocator : allocators_) allocator->give_up_blocks();
  }
  for (auto& lists : partly_free_) lists.fill(nullptr);
  for (Chunk* const chunk : chunks_) sweep_chunk(chunk, result);
  for (const Allocator* const allocator : allocators_) allocator->keep_runs_allocated();
  result.released_bytes = release_empty_chunks(chunks_.size() / kChunksPerSpare + 1);
  allocated_bytes_.store(0, std::memory_order_relaxed);
  return result;
}

void Heap::sweep_chunk(Chunk* chunk, SweepResult& result) {
  for (std::size_t index = kFirstBlock; index < kBlocksPerChunk; ++index) {
    const BlockInfo info = chunk->block(index);
    if (info.use == BlockUse::small) {
      sweep_small(chunk, index, result);
    } else if (info.use == BlockUse::large_head) {
      if (chunk->is_marked(chunk->block_start(index))) {
        ++result.live_objects;
        result.live_bytes += chunk->is_oversized() ? info.large_bytes : info.blocks * kBlockBytes;
        continue;
      }
      release_blocks(chunk, index, info.blocks);
    }
  }
}

void Heap::sweep_small(Chunk* chunk, std::size_t index, SweepResult& result) {
  const std::uint32_t live = chunk->count_marks(index);
  BlockInfo& info = chunk->block(index);
  if (live == 0 && !info.owned) {
    release_blocks(chunk, index, 1);
    return;
  }
  chunk->keep_marked(index);
  info.live_slots = static_cast<std::uint16_t>(live);
  result.live_objects += live;
  result.live_bytes += std::uint64_t{live} * info.slot_bytes;
  if (live == info.slots() || info.owned) return;
  std::byte*& partly_free = partly_free_of(info.size_class, chunk->contents(index));
  info.next_partly_free = partly_free;
  partly_free = chunk->block_start(index);
}

std::uint64_t Heap::release_empty_chunks(std::size_t spares) {
  std::uint64_t released = 0;
  const auto unneeded = [&](Chunk* chunk) {
    if (!chunk->is_empty()) return false;
    if (!chunk->is_oversized() && spares > 0) {
      --spares;
      return false;
    }
    released += chunk->total_bytes();
    release_chunk(chunk);
    return true;
  };
  std::erase_if(chunks_, unneeded);
  search_from_ = 0;
  return released;
}

Chunk* Heap::add_chunk(std::size_t total_bytes) {
  Chunk* const chunk = try_add_chunk(total_bytes);
  if (chunk != nullptr || release_empty_chunks(0) == 0) return chunk;
  return try_add_chunk(total_bytes);
}

Chunk* Heap::try_add_chunk(std::size_t total_bytes) {
  const std::uint64_t taken = chunk_bytes_.load(std::memory_order_relaxed);
  if (total_bytes > limit_bytes_ || taken > limit_bytes_ - total_bytes) return nullptr;
  try {
    if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 16);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  Chunk* const chunk = space_.allocate(total_bytes);
  if (chunk == nullptr) return nullptr;
  chunks_.push_back(chunk);
  chunk_bytes_.store(taken + total_bytes, std::memory_order_relaxed);
  return chunk;
}

void Heap::release_chunk(Chunk* chunk) {
  chunk_bytes_.store(chunk_bytes_.load(std::memory_order_relaxed) - chunk->total_bytes(),
                     std::memory_order_relaxed);
  space_.release(chunk);
}

Chunk* Heap::chunk_with_free_blocks(std::size_t count, std::size_t& first) {
  for (std::size_t i = search_from_; i < chunks_.size(); ++i) {
    Chunk* const chunk = chunks_[i];
    const std::size_t available = chunk->is_oversized() ? 0 : chunk->free_blocks();
    if (available == 0 && i == search_from_) {
      ++search_from_;
    } else if (available >= count) {
      first = chunk->find_free(count);
      if (first != 0) return chunk;
    }
  }
  Chunk* const chunk = add_chunk(kChunkBytes);
  first = kFirstBlock;
  return chunk;
}

}  // namespace jackdaw::heap
