#include "heap/chunk.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/page_memory.h"

namespace jackdaw::heap {

namespace {

// No system has smaller pages.
constexpr std::size_t kLeastPageBytes = 4096;

}  // namespace

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
  if (info.use != BlockUse::small) forget_slots(index);
  if (const std::size_t page = index / kBlocksPerHugePage; !plan_.is_decided(page))
    plan_.decide(page, memory_of(page));
  blocks_[index] = info;
  // Neighbouring blocks' bytes and bits lie on the same lines, which other processors read: a write of what
  // is there already would take these lines away from them.
  if (kinds_[index] != kind_byte(kind)) kinds_[index] = kind_byte(kind);
  kinds_taken_ |= 1U << static_cast<unsigned>(kind);
  free_.reset(index);
  --free_blocks_;
  if (is_zero) {
    zero_.reset(index);
    given_back_.reset(index);
  }
  return is_zero;
}

void Chunk::release_block(std::size_t index) {
  JACKDAW_CHECK(index >= kFirstBlock && !free_.test(index) && blocks_[index].use != BlockUse::free);
  if (blocks_[index].use != BlockUse::small) forget_slots(index);
  blocks_[index] = {};
  free_.set(index);
  ++free_blocks_;
  JACKDAW_CHECK(free_blocks_ <= usable_blocks());
  if (is_empty()) kinds_taken_ = 0;
  if (index < search_from_) search_from_ = index;
  free_runs_.forget();
  unavoided_runs_.forget();
}

void Chunk::populate(std::byte* start, std::size_t bytes) {
  const std::size_t page_bytes = base::page_bytes();
  std::byte* const end = start + (bytes + page_bytes - 1) / page_bytes * page_bytes;
  while (start < end) {
    const std::size_t page = block_index(start) / kBlocksPerHugePage;
    std::byte* const part_end = std::min(end, block_start((page + 1) * kBlocksPerHugePage));
    plan_.populate(page, {start, part_end});
    start = part_end;
  }
}

bool Chunk::give_back(std::size_t index, std::size_t count) {
  JACKDAW_CHECK(index >= kFirstBlock && (index + count) * kBlockBytes <= total_bytes_);
  return base::PageMemory::discard(block_start(index), count * kBlockBytes);
}

std::size_t Chunk::release_free_memory() {
  std::size_t blocks = 0;
  for (std::size_t page = 0; page < kHugePages; ++page) blocks += release_free_memory_of(page);
  return blocks;
}

std::size_t Chunk::release_last_free_memory() {
  std::size_t blocks = 0;
  for (std::size_t page = kHugePages; page != 0 && blocks == 0; --page)
    blocks = release_free_memory_of(page - 1);
  return blocks;
}

std::size_t Chunk::blocks_of_page() { return std::max<std::size_t>(base::page_bytes() / kBlockBytes, 1); }

// A page that spans several blocks goes back to the system when all of them are free.
std::size_t Chunk::release_free_memory_of(std::size_t huge_page) {
  const std::size_t unit = blocks_of_page();
  const std::size_t end_of_page = (huge_page + 1) * kBlocksPerHugePage;
  const auto is_written = [&](std::size_t first) {
    return first < end_of_page && are_free(first, unit) && count_zero(first, unit) < unit;
  };
  const std::size_t before = blocks_given_back();
  for (std::size_t first = huge_page * kBlocksPerHugePage; first < end_of_page;) {
    std::size_t end = first;
    while (is_written(end)) end += unit;
    const bool is_released = end != first && give_back(first, end - first);
    for (std::size_t block = first; is_released && block < end; ++block) {
      if (!zero_.test(block)) given_back_.set(block);
      zero_.set(block);
    }
    first = end + unit;
  }
  const std::size_t blocks = blocks_given_back() - before;
  if (blocks != 0) note_released(huge_page);
  return blocks;
}

// The rest of a huge page comes back in small pages, so from now on its blocks are populated at once.
void Chunk::note_released(std::size_t huge_page) {
  plan_.note_decision(huge_page, false);
  if (count_zero(huge_page * kBlocksPerHugePage, kBlocksPerHugePage) != kBlocksPerHugePage)
    plan_.break_up(huge_page, memory_of(huge_page));
}

std::size_t Chunk::release_free_pages(std::size_t index) {
  if (blocks_[index].use == BlockUse::span) return release_slots_of_span(index);
  const std::size_t bytes = blocks_[index].use == BlockUse::small ? release_pages_between_slots(index)
                                                                  : release_pages_behind(index);
  const std::size_t huge_page = index / kBlocksPerHugePage;
  if (bytes != 0) plan_.break_up(huge_page, memory_of(huge_page));
  return bytes;
}

std::size_t Chunk::release_pages_between_slots(std::size_t index) {
  BlockInfo& info = blocks_[index];
  const std::size_t page_bytes = base::page_bytes();
  const std::size_t pages = kBlockBytes / page_bytes;
  std::bitset<8> is_kept = info.pages_given_back;
  static_assert(kBlockBytes / kLeastPageBytes <= is_kept.size());
  allocated_.for_each(index, [&](std::size_t granule) {
    const std::size_t first_byte = granule * kGranuleBytes;
    for (std::size_t page = first_byte / page_bytes; page <= (first_byte + info.slot_bytes - 1) / page_bytes;
         ++page)
      is_kept.set(page);
  });
  std::size_t released = 0;
  for (std::size_t first = 0, end = 0; first < pages; first = end + 1) {
    for (end = first; end < pages && !is_kept.test(end);) ++end;
    const std::size_t bytes = (end - first) * page_bytes;
    if (bytes == 0 || !base::PageMemory::discard(block_start(index) + first * page_bytes, bytes)) continue;
    released += bytes;
    info.pages_given_back |= static_cast<std::uint8_t>((1U << end) - (1U << first));
  }
  return released;
}

// Releases the pages behind the end of the large object that starts with a block.
std::size_t Chunk::release_pages_behind(std::size_t index) {
  BlockInfo& info = blocks_[index];
  std::byte* const end = block_start(index) + info.blocks * kBlockBytes;
  const std::size_t behind = info.blocks * kBlockBytes - info.large_bytes;
  const std::size_t bytes = behind / base::page_bytes() * base::page_bytes();
  if (bytes == 0 || info.pages_given_back != 0 || !base::PageMemory::discard(end - bytes, bytes)) return 0;
  info.pages_given_back = 1;
  return bytes;
}

// Slots begin and end at pages, unless the system's are longer than a quarter of a block.
std::size_t Chunk::release_slots_of_span(std::size_t index) {
  BlockInfo& info = blocks_[index];
  std::size_t released = 0;
  for (std::uint32_t slot = 0; slot < info.slots() && base::page_bytes() <= kQuarterBytes; ++slot) {
    std::byte* const start = slot_of_span(index, slot);
    const auto bit = static_cast<std::uint8_t>(1U << slot);
    if (is_allocated(start) || (info.zero_slots & bit) != 0) continue;
    if (!base::PageMemory::discard(start, info.slot_bytes)) continue;
    info.zero_slots |= bit;
    released += info.slot_bytes;
    const std::size_t last = block_index(start + info.slot_bytes - 1) / kBlocksPerHugePage;
    for (std::size_t page = block_index(start) / kBlocksPerHugePage; page <= last; ++page)
      plan_.break_up(page, memory_of(page));
  }
  return released;
}

}  // namespace jackdaw::heap
