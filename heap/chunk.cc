#include "heap/chunk.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/page_memory.h"

namespace jackdaw::heap {

namespace {

// The bits of word `word` of a block's that belong to granules of the range.
std::uint64_t mask_of(GranuleRange range, std::uint32_t word) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const std::uint32_t first = std::max(range.first, word * 64) - word * 64;
  const std::uint32_t end = std::min(range.end, word * 64 + 64) - word * 64;
  return kAll >> (64 - end) & kAll << first;
}

// Calls function(word, mask) for the words that the range, not empty, lies in.
template <typename Function>
void for_each_word_of(GranuleRange range, Function function) {
  for (std::uint32_t word = range.first / 64; word * 64 < range.end; ++word)
    function(word, mask_of(range, word));
}

// The first granule, from `from` on, whose bit is set in what word_at(word) gives; kGranulesPerBlock if none.
template <typename WordAt>
std::uint32_t find_bit(std::uint32_t from, WordAt word_at) {
  if (from >= kGranulesPerBlock) return kGranulesPerBlock;
  std::uint32_t word = from / 64;
  std::uint64_t bits = word_at(word) & (~std::uint64_t{0} << (from % 64));
  while (bits == 0) {
    if (++word == kMarkWordsPerBlock) return kGranulesPerBlock;
    bits = word_at(word);
  }
  return word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

// Without std::popcount, which is a call on processors of the oldest kind, and they are what is compiled for.
std::uint32_t count_bits(const std::array<std::uint64_t, kMarkWordsPerBlock>& words) {
  constexpr std::uint64_t kOddBits = 0x5555'5555'5555'5555;
  constexpr std::uint64_t kOddPairs = 0x3333'3333'3333'3333;
  constexpr std::uint64_t kOddNibbles = 0x0f0f'0f0f'0f0f'0f0f;
  constexpr std::uint64_t kOddBytes = 0x00ff'00ff'00ff'00ff;
  static_assert(8 * kMarkWordsPerBlock < 256, "the sums below are one to a byte");
  std::uint64_t sums = 0;
  for (std::uint64_t bits : words) {
    bits -= (bits >> 1) & kOddBits;
    bits = (bits & kOddPairs) + ((bits >> 2) & kOddPairs);
    sums += (bits + (bits >> 4)) & kOddNibbles;
  }
  const std::uint64_t in_pairs = (sums & kOddBytes) + ((sums >> 8) & kOddBytes);
  return static_cast<std::uint32_t>((in_pairs * 0x0001'0001'0001'0001) >> 48);
}

}  // namespace

Chunk::Chunk(std::size_t total_bytes, std::uint32_t node, BlockMap& map, const KindTable& kinds,
             HugePages* huge_pages)
    : total_bytes_(total_bytes), huge_pages_(huge_pages), node_(node), map_(map), kind_table_(kinds) {
  if (huge_pages == nullptr) is_decided_.set();
  free_blocks_ = std::min(usable_blocks(), kUsableBlocks);
  for (std::size_t block = kFirstBlock; block < kFirstBlock + free_blocks_; ++block) free_.set(block);
  zero_ = free_;
}

void Chunk::clear_marks(std::size_t block) {
  JACKDAW_CHECK(blocks_[block].use != BlockUse::free);
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed, all: nobody else looks before the next marking starts, and starting it synchronises.
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word) {
    mark_words_[word].store(~allocated_words_[word].load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
  }
  marker_words_[block].store(0, std::memory_order_relaxed);
}

void Chunk::keep_marked(std::size_t block, bool freed_by_others) {
  JACKDAW_CHECK(blocks_[block].use == BlockUse::small);
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed, all: the marking is over, and nobody allocates.
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word) {
    const std::uint64_t marks = mark_words_[word].load(std::memory_order_relaxed);
    if (freed_by_others) {
      allocated_words_[word].fetch_and(marks, std::memory_order_relaxed);
    } else {
      allocated_words_[word].store(allocated_words_[word].load(std::memory_order_relaxed) & marks,
                                   std::memory_order_relaxed);
    }
  }
}

void Chunk::set_all_marks(std::size_t block) {
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed, all: who marks learns of the block's use from the map, whose write releases (BlockMap::set).
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word)
    mark_words_[word].store(~std::uint64_t{0}, std::memory_order_relaxed);
  marker_words_[block].store(0, std::memory_order_relaxed);
}

void Chunk::clear_allocated(std::size_t block) {
  const std::size_t first = block * kMarkWordsPerBlock;
  // Relaxed: see is_allocated.
  for (std::size_t word = first; word < first + kMarkWordsPerBlock; ++word)
    allocated_words_[word].store(0, std::memory_order_relaxed);
}

void Chunk::set_allocated(std::size_t block, GranuleRange slots, bool freed_by_others) {
  JACKDAW_CHECK(blocks_[block].use == BlockUse::small);
  const SlotStarts& starts = SizeClasses::slot_starts(blocks_[block].size_class);
  JACKDAW_CHECK(slots.first < slots.end && slots.end <= starts.end);
  JACKDAW_CHECK((starts.words[slots.first / 64] >> (slots.first % 64) & 1) != 0);
  const std::size_t first_word = block * kMarkWordsPerBlock;
  for_each_word_of(slots, [&](std::uint32_t word, std::uint64_t mask) {
    const std::uint64_t bits = starts.words[word] & mask;
    if (freed_by_others) {
      // Acquire: pairs with the release in set_free.
      allocated_words_[first_word + word].fetch_or(bits, std::memory_order_acquire);
    } else {
      add_bits(first_word + word, bits);
    }
  });
}

void Chunk::set_free(const std::byte* first, const std::byte* end) {
  Chunk& chunk = *of(first);
  JACKDAW_CHECK(chunk.may_start_at(first));
  const std::size_t first_word = block_of(first) * kMarkWordsPerBlock;
  for_each_word_of(range_of(first, end), [&](std::uint32_t word, std::uint64_t mask) {
    // Release: pairs with the acquire in set_allocated, so that what was written to the object comes before
    // what is written to the next in its place.
    chunk.allocated_words_[first_word + word].fetch_and(~mask, std::memory_order_release);
  });
}

GranuleRange Chunk::find_free_slots(std::size_t block, std::uint32_t from) const {
  JACKDAW_CHECK(blocks_[block].use == BlockUse::small && from <= kGranulesPerBlock);
  const SlotStarts& starts = SizeClasses::slot_starts(blocks_[block].size_class);
  const auto allocated_in = [&](std::uint32_t word) {
    // Relaxed: see is_allocated.
    return allocated_words_[block * kMarkWordsPerBlock + word].load(std::memory_order_relaxed);
  };
  const std::uint32_t first =
      find_bit(from, [&](std::uint32_t word) { return starts.words[word] & ~allocated_in(word); });
  if (first == kGranulesPerBlock) return {first, first};
  return {first, std::min(starts.end, find_bit(first, allocated_in))};
}

std::uint32_t Chunk::count_marks(std::size_t block) const {
  const BlockInfo& info = blocks_[block];
  const SlotStarts& starts = SizeClasses::slot_starts(info.size_class);
  const std::atomic<std::uint64_t>* const marks = mark_words(block);
  const std::atomic<std::uint64_t>* const allocated = allocated_words(block);
  std::array<std::uint64_t, kMarkWordsPerBlock> marked;
  std::uint64_t any = 0;
  std::uint64_t missing = 0;
  for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word) {
    // Relaxed, both: the marking is over.
    marked[word] =
        marks[word].load(std::memory_order_relaxed) & allocated[word].load(std::memory_order_relaxed);
    any |= marked[word];
    missing |= marked[word] ^ starts.words[word];
  }
  // Objects allocated together mostly live and die together: often no slot is marked, or every one.
  if (any == 0) return 0;
  return missing == 0 ? info.slots() : count_bits(marked);
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
  if (const std::size_t page = index / kBlocksPerHugePage; !is_decided_.test(page)) decide_on_huge_page(page);
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
  clear_allocated(index);
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
    populate_within_page(block, end);
    block = end;
  }
}

void Chunk::populate_within_page(std::size_t block, [[maybe_unused]] std::size_t end) {
  std::byte* const start = block_start(block);
  const auto bit = static_cast<std::uint8_t>(1U << block / kBlocksPerHugePage);
  // Relaxed: the lock under which the block was taken makes what was decided then seen.
  if ((small_pages_.load(std::memory_order_relaxed) & bit) != 0) {
#ifdef MADV_POPULATE_WRITE
    // Advice only: a system that does not know it gives page by page.
    base::PageMemory::advise(start, (end - block) * kBlockBytes, MADV_POPULATE_WRITE);
#endif
    // Relaxed, all: whoever comes first times the page.
  } else if ((untimed_pages_.load(std::memory_order_relaxed) & bit) != 0 &&
             (untimed_pages_.fetch_and(static_cast<std::uint8_t>(~bit), std::memory_order_relaxed) & bit) !=
                 0) {
    huge_pages_->time([=] { return *start = std::byte{0}; });
  }
}

void Chunk::decide_on_huge_page(std::size_t page) {
  const bool asks = huge_pages_->are_wanted();
  std::byte* const start = block_start(page * kBlocksPerHugePage);
  std::byte* const end = reinterpret_cast<std::byte*>(this) + total_bytes_;
  // Advice only.
  madvise(start, std::min(HugePages::kBytes, static_cast<std::size_t>(end - start)),
          asks ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  note_decision(page, asks);
  if (asks) untimed_pages_.fetch_or(static_cast<std::uint8_t>(1U << page), std::memory_order_relaxed);
}

void Chunk::note_decision(std::size_t page, bool is_huge) {
  is_decided_.set(page);
  if (is_huge) return;
  // Relaxed, both: see populate.
  const std::uint8_t small = small_pages_.load(std::memory_order_relaxed);
  small_pages_.store(static_cast<std::uint8_t>(small | 1U << page), std::memory_order_relaxed);
}

bool Chunk::give_back(std::size_t index, std::size_t count) {
  JACKDAW_CHECK(index >= kFirstBlock && (index + count) * kBlockBytes <= total_bytes_);
  return base::PageMemory::discard(block_start(index), count * kBlockBytes);
}

// A page that holds several blocks is given back when all of them are free.
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
    }
    first = end + unit;
  }
}

}  // namespace jackdaw::heap
