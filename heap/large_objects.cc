// Large objects: Heap's functions for objects of more than half a block, in blocks of their own or in spans.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/check.h"
#include "heap/heap.h"
#include "heap/size_classes.h"

namespace jackdaw::heap {

namespace {

// Only objects up to this size are populated at once: programs may leave parts of larger ones untouched.
constexpr std::size_t kMostPopulated = 16 * kBlockBytes;

}  // namespace

Object* Heap::allocate_large(std::size_t bytes, KindNumber kind, LargeAddresses addresses) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return nullptr;  // so that no sum below overflows
  LargePlace place;
  {
    const std::lock_guard lock(mutex_);
    const bool may_share = may_share_span(bytes, kind, addresses);
    const std::size_t quarters = SpanSizes::quarters_of(bytes);
    if (may_share) place = take_slot(static_cast<std::uint32_t>(quarters), kind);
    if (place.start == nullptr) place = take_blocks(bytes, kind, addresses);
    if (place.start == nullptr && may_share &&
        (BeyondBudget::is_in_force() || !blocks_.within_limit(blocks_of(bytes))))
      place = take_any_slot(static_cast<std::uint32_t>(quarters), kind);
  }
  if (place.start == nullptr) return nullptr;
  // Release: for the map's entries, and for a slot's allocation bit, as in Allocator::next_run_in_block.
  std::atomic_thread_fence(std::memory_order_release);
  auto* const object = reinterpret_cast<Object*>(place.start);
  Chunk& chunk = *Chunk::of(object);
  if (place.is_zero && !chunk.is_oversized())
    chunk.populate(place.start, std::min(place.bytes, kMostPopulated));
  if (!place.is_zero && kinds_[kind].is_cleared) std::memset(place.start, 0, place.bytes);
  if (kinds_[kind].contents == Contents::references) object->set_type(TypeDescriptor::unused());
  return object;
}

// Takes blocks for one object, within budget and limit.
Heap::LargePlace Heap::take_blocks(std::size_t bytes, KindNumber kind, LargeAddresses addresses) {
  const std::size_t count = blocks_of(bytes);
  const bool is_oversized = count > kUsableBlocks;
  const Blacklisted blacklisted =
      addresses == LargeAddresses::all ? Blacklisted::avoided : Blacklisted::accepted;
  const std::size_t charged = is_oversized ? bytes : count * kBlockBytes;
  if (!budget_.allows(charged) || !blocks_.within_limit(count)) return {};
  const std::size_t total = kHeaderBytes + count * kBlockBytes;
  std::size_t first = kFirstBlock;
  Chunk* const chunk =
      is_oversized ? add_chunk(total, total) : chunk_with_free_blocks(count, first, blacklisted);
  if (chunk == nullptr) return {};
  const std::size_t untouched = is_oversized ? count : chunk->count_zero(first, count);
  if (!blocks_.make_room_for(untouched, budget_)) return {};
  BlockInfo info;
  info.addresses = addresses;
  info.marking = present_marking();
  info.large_bytes = bytes;
  const bool is_zero = take_large(chunk, first, info, kind);
  count_allocated(charged);
  return {chunk->block_start(first), bytes, is_zero};
}

// Takes the blocks of the large object that `info` describes, and returns whether they are zero.
bool Heap::take_large(Chunk* chunk, std::size_t first, const BlockInfo& info, KindNumber kind) {
  BlockInfo head = info;
  head.use = BlockUse::large_head;
  head.blocks = static_cast<std::uint32_t>(blocks_of(info.large_bytes));
  JACKDAW_CHECK(chunk->is_oversized() || first + head.blocks <= kBlocksPerChunk);
  const bool is_zero = blocks_.take(chunk, first, head, kind);
  blocks_.open(chunk, first, BlockShape::of_large(0, kinds_[kind].contents));
  chunk->set_large_allocated(chunk->block_start(first));
  return take_tail(chunk, first, 1, head.blocks) && is_zero;
}

// Takes the blocks from `from` to `end` of the large object whose head is at `first`. A chunk's table covers
// the first kChunkBytes of an oversized object; the map covers all of it.
bool Heap::take_tail(Chunk* chunk, std::size_t first, std::size_t from, std::size_t end) {
  const bool keeps_nothing = chunk->block(first).addresses == LargeAddresses::near_start;
  const Contents contents = kinds_[chunk->kind(first)].contents;
  BlockInfo info;
  info.use = BlockUse::large_tail;
  bool is_zero = true;
  for (std::size_t index = from; index < end; ++index) {
    const std::size_t block = first + index;
    if (block < kBlocksPerChunk) {
      is_zero = blocks_.take(chunk, block, info, chunk->kind(first)) && is_zero;
    } else {
      blocks_.take_untabled();
    }
    blocks_.open(chunk, block,
                 BlockShape::of_large(static_cast<std::uint32_t>(index), contents, keeps_nothing));
  }
  return is_zero;
}

void Heap::free_large(Object* object) {
  note_object_ended();
  Chunk* const chunk = Chunk::of(object);
  const std::size_t first = chunk->block_index(reinterpret_cast<const std::byte*>(object));
  const std::lock_guard lock(mutex_);
  const BlockInfo info = chunk->block(first);
  if (info.use == BlockUse::span) return free_slot_of_span(*chunk, reinterpret_cast<std::byte*>(object));
  JACKDAW_CHECK(info.use == BlockUse::large_head);
  if (!is_marking_) return release_large(chunk, first);
  has_freed_ = true;
  chunk->block(first).is_freed = true;
  Chunk::set_free(chunk->block_start(first), chunk->block_start(first) + kGranuleBytes);
}

// Releases the blocks of the large object that starts with a block.
void Heap::release_large(Chunk* chunk, std::size_t first) {
  const BlockInfo info = chunk->block(first);
  budget_.count_freed(chunk->is_oversized() ? info.large_bytes : std::uint64_t{info.blocks} * kBlockBytes);
  blocks_.release(chunk, first, info.blocks);
  blocks_.find_from_start();
  if (chunk->is_oversized()) sweeper_.note_removed(blocks_.remove_chunk(chunk));
}

// Goes backwards, as chunks of oversized objects are removed.
void Heap::give_up_marking() {
  const std::lock_guard lock(mutex_);
  const bool has_freed = has_freed_;
  stop_marking();
  for (std::size_t number = has_freed ? chunk_count() : 0; number-- != 0;) {
    Chunk* const chunk = blocks_.chunks()[number];
    const bool is_oversized = chunk->is_oversized();
    for (std::size_t index = kFirstBlock; index < kBlocksPerChunk; ++index) {
      if (chunk->block(index).is_span_head()) count_freed_slots(*chunk, index);
      if (!chunk->block(index).is_freed) continue;
      release_large(chunk, index);
      if (is_oversized) break;
    }
  }
}

bool Heap::resize_large(Object* object, std::size_t bytes) {
  if (bytes <= kLargestSmallBytes || bytes > std::numeric_limits<std::size_t>::max() / 2) return false;
  Chunk* const chunk = Chunk::of(object);
  auto* const start = reinterpret_cast<std::byte*>(object);
  const std::size_t first = chunk->block_index(start);
  const std::lock_guard lock(mutex_);
  BlockInfo& info = chunk->block(first);
  if (info.use == BlockUse::span) return suits_slot(bytes, info.slot_bytes);
  JACKDAW_CHECK(info.use == BlockUse::large_head);
  const std::size_t before = info.large_bytes;
  if (bytes == before) return true;
  // Markers that visit it in slices rely on its length.
  if (is_marking_ && chunk->contents(first) != Contents::data) return false;
  if (blocks_of(bytes) != info.blocks && !change_blocks(chunk, first, blocks_of(bytes))) return false;
  if (bytes < before) note_object_ended();
  info.large_bytes = bytes;
  info.pages_given_back = 0;
  if (bytes > before && kinds_[chunk->kind(first)].is_cleared) std::memset(start + before, 0, bytes - before);
  return true;
}

// Changes the large object at `first` to `count` blocks. False, with nothing changed, when that is not
// possible.
bool Heap::change_blocks(Chunk* chunk, std::size_t first, std::size_t count) {
  BlockInfo& info = chunk->block(first);
  const std::size_t before = info.blocks;
  // An object cannot move between a chunk of its own and a chunk that it shares.
  if (chunk->is_oversized() != (count > kUsableBlocks)) return false;
  if (count > before) {
    const std::size_t added = count - before;
    const bool is_oversized = chunk->is_oversized();
    if (!is_oversized && !chunk->are_free(first + before, added)) return false;
    if (!budget_.allows(added * kBlockBytes) || !blocks_.within_limit(added)) return false;
    if (is_oversized && !blocks_.extend_chunk(chunk, kHeaderBytes + count * kBlockBytes)) return false;
    const std::size_t untouched = is_oversized ? added : chunk->count_zero(first + before, added);
    if (!blocks_.make_room_for(untouched, budget_)) return false;
    take_tail(chunk, first, before, count);
    count_allocated(added * kBlockBytes);
  } else {
    budget_.count_freed((before - count) * kBlockBytes);
    blocks_.release(chunk, first + count, before - count);
    blocks_.find_from_start();
    if (chunk->is_oversized()) chunk->give_back(first + count, before - count);
  }
  info.blocks = static_cast<std::uint32_t>(count);
  return true;
}

}  // namespace jackdaw::heap
