#include "heap/chunk.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/page_memory.h"

namespace jackdaw::heap {

Chunk::Chunk(std::size_t total_bytes, std::uint32_t node, BlockMap& map, const KindTable& kinds,
             HugePages* huge_pages)
    : total_bytes_(total_bytes), plan_(huge_pages), node_(node), map_(map), kind_table_(kinds) {
  free_blocks_ = std::min(usable_blocks(), kUsableBlocks);
  for (std::size_t block = kFirstBlock; block < kFirstBlock + free_blocks_; ++block) free_.set(block);
  zero_ = free_;
}

void Chunk::set_allocated(std::size_t block, GranuleRange slots, bool freed_by_others) {
  JACKDAW_CHECK(blocks_[block].use == BlockUse::small);
  const SlotStarts& starts = SizeClasses::slot_starts(blocks_[block].size_class);
  JACKDAW_CHECK(slots.first < slots.end && slots.end <= starts.end);
  JACKDAW_CHECK((starts.words[slots.first / 64] >> (slots.first % 64) & 1) != 0);
  allocated_.set_slots(block, slots, starts, freed_by_others);
}

std::size_t Chunk::find_free(std::size_t count, Blacklisted blacklisted) {
  JACKDAW_CHECK(count != 0);
  while (search_from_ < kBlocksPerChunk && !free_.test(search_from_)) ++search_from_;
  if (count > free_blocks_) return 0;
  if (blacklisted == Blacklisted::accepted)
    return free_runs_.find(count, search_from_, [this](std::size_t block) { return free_.test(block); });
  return unavoided_runs_.find(count, search_from_, [this](std::size_t block) {
    return free_.test(block) && !map_.is_blacklisted(reinterpret_cast<std::uintptr_t>(block_start(block)));
  });
}

std::size_t Chunk::find_free_of(std::uint8_t taker, std::size_t from) const {
  const auto* const takers = takers_.values.data();
  for (std::size_t block = std::max(from, search_from_); block < kBlocksPerChunk; ++block) {
    const void* const next = std::memchr(takers + block, taker, kBlocksPerChunk - block);
    if (next == nullptr) break;
    block = static_cast<std::size_t>(static_cast<const std::uint8_t*>(next) - takers);
    if (free_.test(block) && !zero_.test(block)) return block;
  }
  return 0;
}

bool Chunk::are_free(std::size_t index, std::size_t count) const {
  if (index + count > kBlocksPerChunk) return false;
  for (std::size_t block = index; block < index + count; ++block) {
    if (!free_.test(block)) return false;
  }
  return true;
}

std::size_t Chunk::count_zero(std::size_t index, std::size_t count) const {
  std::size_t zero = 0;
  for (std::size_t block = index; block < index + count; ++block) zero += zero_.test(block) ? 1 : 0;
  return zero;
}

bool Chunk::take_block(std::size_t index, const BlockInfo& info, KindNumber kind) {
  JACKDAW_CHECK(index >= kFirstBlock && free_.test(index) && free_blocks_ != 0);
  JACKDAW_CHECK(info.use != BlockUse::free);
  JACKDAW_CHECK(info.use != BlockUse::small || info.slot_bytes == SizeClasses::slot_bytes(info.size_class));
  JACKDAW_CHECK(info.use != BlockUse::large_head || (info.blocks != 0 && info.large_bytes != 0));
  const bool is_zero = zero_.test(index);
  if (const std::size_t page = index / kBlocksPerHugePage; !plan_.is_decided(page))
    plan_.decide(page, memory_of(page));
  blocks_[index] = info;
  kinds_[index] = kind_byte(kind);
  kinds_taken_ |= 1U << static_cast<unsigned>(kind);
  set_all_marks(index);
  free_.reset(index);
  --free_blocks_;
  zero_.reset(index);
  given_back_.reset(index);
  return is_zero;
}

void Chunk::release_block(std::size_t index) {
  JACKDAW_CHECK(index >= kFirstBlock && !free_.test(index) && blocks_[index].use != BlockUse::free);
  allocated_.clear_block(index);
  blocks_[index] = {};
  free_.set(index);
  ++free_blocks_;
  JACKDAW_CHECK(free_blocks_ <= usable_blocks());
  if (is_empty()) kinds_taken_ = 0;
  if (index < search_from_) search_from_ = index;
  free_runs_.forget();
  unavoided_runs_.forget();
}

void Chunk::populate(std::size_t first, std::size_t count) {
  for (std::size_t block = first; block < first + count;) {
    const std::size_t page_end = block - block % kBlocksPerHugePage + kBlocksPerHugePage;
    const std::size_t end = std::min(first + count, page_end);
    plan_.populate(block / kBlocksPerHugePage, {block_start(block), (end - block) * kBlockBytes});
    block = end;
  }
}

bool Chunk::give_back(std::size_t index, std::size_t count) {
  JACKDAW_CHECK(index >= kFirstBlock && (index + count) * kBlockBytes <= total_bytes_);
  return base::PageMemory::discard(block_start(index), count * kBlockBytes);
}

// A page that spans several blocks goes back to the system when all of them are free. The rest of a huge page
// comes back in small pages, so from now on its blocks are populated at once.
void Chunk::release_free_memory() {
  const std::size_t unit = std::max<std::size_t>(base::page_bytes() / kBlockBytes, 1);
  const auto is_written = [&](std::size_t first) {
    return first < kBlocksPerChunk && are_free(first, unit) && count_zero(first, unit) < unit;
  };
  for (std::size_t first = (kFirstBlock + unit - 1) / unit * unit; first < kBlocksPerChunk;) {
    std::size_t end = first;
    while (is_written(end)) end += unit;
    const bool is_released = end != first && give_back(first, end - first);
    for (std::size_t block = first; is_released && block < end; ++block) {
      if (!zero_.test(block)) given_back_.set(block);
      zero_.set(block);
      plan_.note_decision(block / kBlocksPerHugePage, false);
    }
    first = end + unit;
  }
}

std::size_t Chunk::release_free_pages(std::size_t index) {
  constexpr std::size_t kLeastPageBytes = 4096;
  std::bitset<kBlockBytes / kLeastPageBytes> is_used;
  const std::size_t page_bytes = base::page_bytes();
  const std::size_t pages = kBlockBytes / page_bytes;
  const std::size_t slot_bytes = blocks_[index].slot_bytes;
  allocated_.for_each(index, [&](std::size_t granule) {
    const std::size_t first_byte = granule * kGranuleBytes;
    for (std::size_t page = first_byte / page_bytes; page <= (first_byte + slot_bytes - 1) / page_bytes;
         ++page)
      is_used.set(page);
  });
  std::size_t released = 0;
  for (std::size_t first = 0, end = 0; first < pages; first = end + 1) {
    for (end = first; end < pages && !is_used.test(end);) ++end;
    const std::size_t bytes = (end - first) * page_bytes;
    if (bytes != 0 && base::PageMemory::discard(block_start(index) + first * page_bytes, bytes))
      released += bytes;
  }
  return released;
}

}  // namespace jackdaw::heap
