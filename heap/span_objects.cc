// Objects in spans: Heap's functions for large objects that share blocks (span_sizes.h).
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "heap/heap.h"
#include "heap/span_sizes.h"

namespace jackdaw::heap {

// Objects share spans if all interior pointers keep them, collections free them, and their contents are data
// or any words.
bool Heap::may_share_span(std::size_t bytes, KindNumber kind, LargeAddresses addresses) const {
  const Kind& info = kinds_[kind];
  return SpanSizes::suit(bytes) && addresses == LargeAddresses::all && info.is_collectable &&
         (info.contents == Contents::words || info.contents == Contents::data) && !poison_.is_on();
}

// Takes a free slot near this thread, of a new span if none has one and the size is worth it. Nothing is
// found where the budget is spent, or memory is scarce.
Heap::LargePlace Heap::take_slot(std::uint32_t quarters, KindNumber kind) {
  const bool is_worth_a_span = spans_.note_wanted(quarters, kind);
  if (!budget_.allows(quarters * kQuarterBytes)) return {};
  const std::uint32_t near = nodes().near_this_thread();
  if (spans_.first(quarters, kind, near) == nullptr) sweep_to_allocate();
  std::byte* span = spans_.first(quarters, kind, near);
  if (span == nullptr && is_worth_a_span) span = take_span(quarters, kind, near);
  return span != nullptr ? take_slot_of(span) : LargePlace{};
}

// Takes the shortest free slot of at least that many quarters, on any node. Its length is a multiple of the
// power of two in theirs, so that it is as aligned as GC_memalign expects of theirs. This is the last resort,
// when the limit leaves no blocks, or a collection has found none.
Heap::LargePlace Heap::take_any_slot(std::uint32_t quarters, KindNumber kind) {
  const std::uint32_t step = quarters & -quarters;
  for (; quarters <= SpanSizes::kMostQuarters && budget_.allows(quarters * kQuarterBytes); quarters += step) {
    for (std::uint32_t node = 0; node < nodes().count(); ++node) {
      if (std::byte* const span = spans_.first(quarters, kind, node)) return take_slot_of(span);
    }
  }
  return {};
}

// Takes the first free slot of a listed span, within the budget.
Heap::LargePlace Heap::take_slot_of(std::byte* span) {
  Chunk& chunk = *Chunk::of(span);
  const std::size_t index = chunk.block_index(span);
  BlockInfo& info = chunk.block(index);
  std::uint32_t slot = 0;
  while (chunk.is_allocated(chunk.slot_of_span(index, slot))) ++slot;
  std::byte* const start = chunk.slot_of_span(index, slot);
  const bool is_zero = (info.zero_slots >> slot & 1) != 0;
  info.zero_slots &= static_cast<std::uint8_t>(~(1U << slot));
  if (++info.live_slots == info.slots()) spans_.remove(chunk, index);
  chunk.block(chunk.block_index(start)).marking = present_marking();
  chunk.set_large_allocated(start);
  count_allocated(info.slot_bytes);
  return {start, info.slot_bytes, is_zero};
}

// Whether `count` neighbouring free blocks of a node were written to, as far as a search by address tells.
bool Heap::has_written_blocks(std::size_t count, std::uint32_t node) {
  std::size_t first = 0;
  const Chunk* const chunk = blocks_.find(count, first, Blacklisted::avoided, node);
  return chunk != nullptr && chunk->count_zero(first, count) == 0;
}

// Takes the blocks of a span from the node's chunks, opens them and adds it to its list. Null when they have
// none, or when memory that the heap has is enough for blocks of one object's own, but not for a span. Half
// of the limit is left to blocks, since longer objects never fit into free slots, and shorter ones waste
// them.
std::byte* Heap::take_span(std::uint32_t quarters, KindNumber kind, std::uint32_t node) {
  const std::uint32_t count = SpanSizes::blocks(quarters);
  if (!blocks_.within_half_of_limit(count)) return nullptr;
  std::size_t first = 0;
  Chunk* const chunk = find_sweeping(count, first, Blacklisted::avoided, node, kFewChunks);
  if (chunk == nullptr) return nullptr;
  const std::size_t untouched = chunk->count_zero(first, count);
  if (untouched != 0 && has_written_blocks(blocks_of(quarters * kQuarterBytes), node)) return nullptr;
  if (!blocks_.make_room_for(untouched, budget_)) return nullptr;
  BlockInfo info;
  info.use = BlockUse::span;
  info.marking = present_marking();
  info.swept = sweeper_.number();
  info.slot_bytes = quarters * static_cast<std::uint32_t>(kQuarterBytes);
  info.large_bytes = info.slot_bytes;
  info.blocks = count;
  auto zero_slots = static_cast<std::uint8_t>((1U << SpanSizes::slots(quarters)) - 1);
  for (; info.span_block < count; ++info.span_block) {
    const std::size_t begin = info.span_block * kBlockBytes;
    if (blocks_.take(chunk, first + info.span_block, info, kind)) continue;
    for (std::size_t slot = begin / info.slot_bytes; slot <= (begin + kBlockBytes - 1) / info.slot_bytes;
         ++slot)
      zero_slots &= static_cast<std::uint8_t>(~(1U << slot));
  }
  chunk->block(first).zero_slots = zero_slots;
  for (std::uint32_t block = 0; block < count; ++block)
    blocks_.open(chunk, first + block, BlockShape::of_span(block, quarters, kinds_[kind].contents));
  spans_.add(*chunk, first);
  return chunk->block_start(first);
}

// A slot that is freed during a marking, or before the sweep has come to it, is allocated again after that.
void Heap::free_slot_of_span(Chunk& chunk, std::byte* start) {
  const std::size_t block = chunk.block_index(start);
  const std::size_t index = block - chunk.block(block).span_block;
  BlockInfo& info = chunk.block(index);
  JACKDAW_CHECK(chunk.is_allocated(start));
  Chunk::set_free(start, start + kGranuleBytes);
  if (sweeper_.is_unswept(chunk, index)) return;
  if (!is_marking_) return free_slots(chunk, index, 1);
  has_freed_ = true;
  if (info.is_listed) spans_.remove(chunk, index);
}

// Frees the slots of a span that were freed during a marking which is given up.
void Heap::count_freed_slots(Chunk& chunk, std::size_t index) {
  const BlockInfo& info = chunk.block(index);
  std::uint16_t used = 0;
  for (std::uint32_t slot = 0; slot < info.slots(); ++slot) {
    if (chunk.is_allocated(chunk.slot_of_span(index, slot))) ++used;
  }
  JACKDAW_CHECK(used <= info.live_slots);
  if (used != info.live_slots) free_slots(chunk, index, static_cast<std::uint16_t>(info.live_slots - used));
}

// Counts slots of a span, which are not allocated any more, as free.
void Heap::free_slots(Chunk& chunk, std::size_t index, std::uint16_t count) {
  BlockInfo& info = chunk.block(index);
  budget_.count_freed(std::uint64_t{count} * info.slot_bytes);
  JACKDAW_CHECK(info.live_slots >= count);
  info.live_slots = static_cast<std::uint16_t>(info.live_slots - count);
  if (info.live_slots == 0) {
    if (info.is_listed) spans_.remove(chunk, index);
    blocks_.release(&chunk, index, info.blocks);
    blocks_.find_from_start();
  } else if (!info.is_listed) {
    spans_.add(chunk, index);
  }
}

}  // namespace jackdaw::heap
