// Chunk: an aligned piece of memory, its mark bits and its table of blocks.
//
//   from              what
//   offset 0          mark bits: one for each granule, set for the first granule of a marked object
//   then              allocation bits: likewise, set while the granule is where an object starts or may start
//   then              the markers' words, the block table and the chunk's own fields
//   kFirstBlock on    objects
//
// A chunk is 16 MiB and aligned to that, so the chunk of an object, its mark word and its bit follow from the
// object's address by masking and shifting: no look-up stands between a reference and its mark. (16 MiB,
// because then a chunk's mark bits are twice as long as the range of addresses after which a second-level
// cache's sets repeat: with chunks of 2 MiB, all mark bits of a heap fought for a quarter of that cache.) A
// block holds slots of one size class, or part of a large object. An object that no chunk can hold gets a
// chunk as long as it needs; only the first 16 MiB of it have marks and blocks, which is where the object
// starts. Where addresses are scarce a chunk may be shorter: then only its first blocks are there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "heap/block_info.h"
#include "heap/block_map.h"
#include "heap/free_run_starts.h"
#include "heap/granule_bits.h"
#include "heap/huge_page_plan.h"
#include "heap/kind.h"
#include "heap/layout.h"
#include "heap/object.h"
#include "heap/size_classes.h"

namespace jackdaw::heap {

/// The blocks before this one are the chunk's header.
inline constexpr std::size_t kFirstBlock = 19;
inline constexpr std::size_t kUsableBlocks = kBlocksPerChunk - kFirstBlock;

/// Whether free blocks that words seem to point into are avoided or accepted (see BlockMap::blacklist).
enum class Blacklisted : std::uint8_t { avoided, accepted };

class Chunk {
 public:
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  /// The chunk in which `object` starts. The address is not checked.
  static Chunk* of(const void* object) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(object) & ~(kChunkBytes - 1));
  }

  /// Sets the mark of the object that starts at `object` and says whether it was clear. No other thread marks
  /// in its block meanwhile.
  [[gnu::always_inline]] bool mark_exclusively(const void* object) {
    JACKDAW_CHECK(may_start_at(object));
    return marks_.set_exclusively(object);
  }

  /// As mark_exclusively, among threads that mark at the same time: exactly one is told true.
  [[gnu::always_inline]] bool mark_shared(const void* object) {
    JACKDAW_CHECK(may_start_at(object));
    return marks_.set_shared(object);
  }

  /// Takes the mark back. No thread marks meanwhile.
  void unmark(const void* object) { marks_.reset(object); }

  /// Where the object's mark is, to be prefetched before marking.
  [[nodiscard]] const void* mark_address(const void* object) const { return &marks_.word_of(object); }

  /// Where the object's allocation bit is, to be prefetched.
  [[nodiscard]] const void* allocation_address(const void* object) const {
    return &allocated_.word_of(object);
  }

  [[nodiscard]] bool is_marked(const void* object) const {
    return marks_.test(object, std::memory_order_relaxed);
  }

  /// A word for each block, by which threads that mark coordinate; zero when the marks are cleared.
  [[nodiscard]] std::atomic<std::uint32_t>& marker_word_of(const void* object) {
    return marker_words_[block_of(object)];
  }
  /// How the references of `object`, and of all others of its block, are found.
  [[nodiscard]] Contents contents_of(const void* object) const {
    return contents_in(kinds_[block_of(object)]);
  }
  /// Whether the kind is KindNumber::references and visits are not intercepted. This is answered fastest.
  [[nodiscard]] bool has_plain_references(const void* object) const {
    static_assert(static_cast<int>(KindNumber::references) == 0 &&
                  static_cast<int>(Contents::references) == 0);
    return kinds_[block_of(object)] == 0;
  }
  [[nodiscard]] Contents contents(std::size_t block) const { return contents_in(kinds_[block]); }
  /// The kind of `object` and of all others of its block.
  [[nodiscard]] KindNumber kind_of(const void* object) const { return kind(block_of(object)); }
  [[nodiscard]] KindNumber kind(std::size_t block) const {
    return static_cast<KindNumber>((kinds_[block] & ~kIntercepted) >> kContentsBits);
  }
  /// Until end_interception, contents_of says by_kind for all objects of the block of `object`, whatever
  /// their kind is: the marker has something else to do with them. No thread marks meanwhile.
  void intercept_visits(const void* object) {
    kinds_[block_of(object)] |= kIntercepted | kByKind;
    tell_map(object);
  }
  void end_interception(const void* object) {
    const std::size_t block = block_of(object);
    kinds_[block] = kind_byte(kind(block));
    tell_map(object);
  }
  [[nodiscard]] bool intercepts_visits(const void* object) const {
    return (kinds_[block_of(object)] & kIntercepted) != 0;
  }
  /// Bytes of the large object that starts at `object`.
  [[nodiscard]] static std::uint64_t large_bytes_of(const void* object) {
    const Chunk& chunk = *of(object);
    JACKDAW_CHECK(chunk.blocks_[block_of(object)].use == BlockUse::large_head);
    return chunk.blocks_[chunk.block_index(static_cast<const std::byte*>(object))].large_bytes;
  }

  /// Clears the marks of a block's objects, and the marker's word, and sets the marks of all other granules:
  /// then an address that leads to no object leads to something that is marked already. No thread marks
  /// meanwhile.
  void clear_marks(std::size_t block) {
    JACKDAW_CHECK(blocks_[block].use != BlockUse::free);
    marks_.set_block_to_complement(block, allocated_);
    marker_words_[block].store(0, std::memory_order_relaxed);
  }

  /// Whether an object starts at `object`, or may start there: the slots that an allocator has before it
  /// count. Any thread.
  // Relaxed, here and where it is written: a thread that holds an object's address got it from the thread
  // that allocated it, and that hand-over orders this, too.
  [[nodiscard]] bool is_allocated(const void* object) const {
    return allocated_.test(object, std::memory_order_relaxed);
  }
  /// As is_allocated. When it is false, the caller sees what was written to a slot before it was
  /// explicitly freed.
  // Acquire: pairs with the release in GranuleBits::clear_range.
  [[nodiscard]] bool is_allocated_acquire(const void* object) const {
    return allocated_.test(object, std::memory_order_acquire);
  }
  /// The first run of free slots of a block of small objects, from granule `from` on; empty when there is
  /// none.
  [[nodiscard]] GranuleRange find_free_slots(std::size_t block, std::uint32_t from) const {
    JACKDAW_CHECK(blocks_[block].use == BlockUse::small && from <= kGranulesPerBlock);
    return allocated_.find_clear_slots(block, SizeClasses::slot_starts(blocks_[block].size_class), from);
  }
  /// From now on objects may start at the slots of a range. Only the one that owns the block calls this.
  /// `freed_by_others`: others may call set_free for the block meanwhile.
  void set_allocated(std::size_t block, GranuleRange slots, bool freed_by_others);
  /// Lets objects start at the slots from `first` to `end`, which lie in one block of any chunk, while no
  /// thread frees.
  static void set_allocated(const std::byte* first, const std::byte* end) {
    of(first)->set_allocated(block_of(first), range_of(first, end), false);
  }
  /// Undoes set_allocated. By the owner of the block, or by any thread that frees the object explicitly.
  static void set_free(const std::byte* first, const std::byte* end) {
    JACKDAW_CHECK(of(first)->may_start_at(first));
    of(first)->allocated_.clear_range(block_of(first), range_of(first, end));
  }
  /// A large object starts at the start of a block.
  void set_large_allocated(std::size_t block) {
    JACKDAW_CHECK(blocks_[block].use == BlockUse::large_head);
    allocated_.add(block * kMarkWordsPerBlock, 1);
  }
  /// Keeps allocated what is marked in a block, and nothing else. No thread marks or allocates in it
  /// meanwhile; `freed_by_others`: others may call set_free.
  void keep_marked(std::size_t block, bool freed_by_others) {
    JACKDAW_CHECK(blocks_[block].use == BlockUse::small);
    allocated_.keep_common(block, marks_, freed_by_others);
  }

  /// The mark words of a block, kMarkWordsPerBlock of them.
  [[nodiscard]] const std::atomic<std::uint64_t>* mark_words(std::size_t block) const {
    JACKDAW_CHECK(block >= kFirstBlock && block < kBlocksPerChunk);
    return marks_.words(block);
  }

  /// The words of the allocation bits of a block, kMarkWordsPerBlock of them.
  [[nodiscard]] const std::atomic<std::uint64_t>* allocated_words(std::size_t block) const {
    JACKDAW_CHECK(block >= kFirstBlock && block < kBlocksPerChunk);
    return allocated_.words(block);
  }

  /// Calls `function(Object*)` where an object of a block starts or may start, in address order.
  template <typename Function>
  void for_each_object(std::size_t block, Function function) {
    JACKDAW_CHECK(block >= kFirstBlock && block < kBlocksPerChunk);
    allocated_.for_each(block, [&](std::size_t granule) {
      function(reinterpret_cast<Object*>(block_start(block) + granule * kGranuleBytes));
    });
  }

  /// Calls `function(Object*)` where an object starts that is marked, from `first` to `end`, which lie in one
  /// block or at its end. Any thread, while others mark and allocate.
  template <typename Function>
  void for_each_marked_start(const Object* first, const Object* end, Function function) const {
    const std::uintptr_t block = reinterpret_cast<std::uintptr_t>(first) & ~(kBlockBytes - 1);
    const std::size_t last =
        (reinterpret_cast<std::uintptr_t>(end) - block + kGranuleBytes - 1) / kGranuleBytes;
    GranuleBits::for_each_common(
        marks_, allocated_, block_of(first), GranuleBits::granule_of(first) % kGranulesPerBlock, last,
        [&](std::size_t granule) {
          const std::uintptr_t start = block + granule * kGranuleBytes;
          function(reinterpret_cast<Object*>(start));  // NOLINT(performance-no-int-to-ptr)
        });
  }

  /// Returns how many objects of a block of small ones are marked. No thread marks meanwhile.
  [[nodiscard]] std::uint32_t count_marks(std::size_t block) const {
    return GranuleBits::count_common(marks_, allocated_, block, blocks_[block]);
  }

  /// The address where a block starts.
  [[nodiscard]] std::byte* block_start(std::size_t block) {
    return reinterpret_cast<std::byte*>(this) + block * kBlockBytes;
  }
  /// The number of the block that starts at `start`.
  [[nodiscard]] std::size_t block_index(const std::byte* start) const {
    return static_cast<std::size_t>(start - reinterpret_cast<const std::byte*>(this)) / kBlockBytes;
  }
  [[nodiscard]] BlockInfo& block(std::size_t index) {
    JACKDAW_CHECK(index >= kFirstBlock && index < kBlocksPerChunk);
    return blocks_[index];
  }
  [[nodiscard]] const BlockInfo& block(std::size_t index) const {
    JACKDAW_CHECK(index >= kFirstBlock && index < kBlocksPerChunk);
    return blocks_[index];
  }

  /// The map of the heap that the chunk belongs to.
  [[nodiscard]] const BlockMap& map() const { return map_; }
  /// The kinds of that heap.
  [[nodiscard]] const KindTable& kind_table() const { return kind_table_; }
  /// Whether the chunk holds one object that is larger than a chunk.
  [[nodiscard]] bool is_oversized() const { return total_bytes_ > kChunkBytes; }
  /// All bytes of the chunk, header included.
  [[nodiscard]] std::size_t total_bytes() const { return total_bytes_; }
  /// The number of the last sweep that came to it.
  // Relaxed, both: what was marked is known since the program stood still.
  [[nodiscard]] std::uint32_t swept() const { return swept_.load(std::memory_order_relaxed); }
  void set_swept(std::uint32_t sweep) {
    JACKDAW_CHECK(static_cast<std::int32_t>(sweep - swept()) >= 0);  // numbers may wrap around
    swept_.store(sweep, std::memory_order_relaxed);
  }
  /// Which of the heap's MemoryNodes kinds it is: the node that its memory lies on, where it lies on one.
  [[nodiscard]] std::uint32_t node() const { return node_; }
  /// Blocks in no use.
  [[nodiscard]] std::size_t free_blocks() const { return free_blocks_; }
  /// All blocks for objects, used or not.
  [[nodiscard]] std::size_t usable_blocks() const { return total_bytes_ / kBlockBytes - kFirstBlock; }
  [[nodiscard]] bool is_empty() const { return free_blocks_ == std::min(usable_blocks(), kUsableBlocks); }
  /// Whether, since the chunk was last empty, a block was taken for objects of a kind for which
  /// `is_wanted(KindNumber)`. O(kinds).
  template <typename IsWanted>
  [[nodiscard]] bool may_hold(IsWanted is_wanted) const {
    for (std::uint32_t kinds = kinds_taken_; kinds != 0; kinds &= kinds - 1) {
      if (is_wanted(static_cast<KindNumber>(__builtin_ctz(kinds)))) return true;
    }
    return false;
  }

  /// The first of `count` neighbouring free blocks, or 0 when there are none. O(blocks), but O(1) on the
  /// whole for a chunk that is filled block by block, and when there were none since a block was released.
  [[nodiscard]] std::size_t find_free(std::size_t count, Blacklisted blacklisted = Blacklisted::accepted);
  /// The first free block with memory, from `from` on, that `taker` was the last to take for small objects,
  /// or 0 when there is none. O(blocks).
  [[nodiscard]] std::size_t find_free_of(std::uint8_t taker, std::size_t from) const;
  /// Notes the processor that takes a block.
  void set_taker(std::size_t index, std::uint8_t taker) { takers_[index] = taker; }
  /// Blocks that were blacklisted may be so no longer.
  void forget_blacklisted() { unavoided_runs_.forget(); }
  /// Whether the `count` blocks from `index` on are in the chunk and free.
  [[nodiscard]] bool are_free(std::size_t index, std::size_t count) const;
  /// Takes a block and says whether its memory is zero, because it was not taken before. All its granules
  /// count as marked: objects that are allocated there while others are marked live on.
  bool take_block(std::size_t index, const BlockInfo& info, KindNumber kind);
  void release_block(std::size_t index);
  /// Has the system give blocks their memory, which is zero and the caller's, all at once, also where it
  /// comes in small pages because huge ones are slow to come.
  void populate(std::size_t first, std::size_t count);
  /// Gives the memory of `count` blocks back to the system, by whole pages; false when it refuses.
  bool give_back(std::size_t index, std::size_t count);
  /// Gives the memory of free blocks back to the system: of pages that hold nothing else. O(blocks).
  void release_free_memory();
  /// Gives those pages of a block of slots back to the system that hold no allocated slot, and returns their
  /// bytes. Free slots are cleared when they are handed out, so nothing notes which pages went.
  std::size_t release_free_pages(std::size_t index);
  /// Free blocks whose memory the system has back.
  [[nodiscard]] std::size_t blocks_given_back() const { return given_back_.count(); }
  /// Free blocks that have memory, because they were written to.
  [[nodiscard]] std::size_t written_free_blocks() const { return (free_ & ~zero_).count(); }
  /// How many of the `count` blocks from `index` on, all free, have none.
  [[nodiscard]] std::size_t count_zero(std::size_t index, std::size_t count) const;
  [[nodiscard]] bool is_given_back(std::size_t index) const { return given_back_.test(index); }

 private:
  friend class HeapSpace;
  // In memory that is zero. Where huge pages are named, parts of it ask for one when they are first used.
  Chunk(std::size_t total_bytes, std::uint32_t node, BlockMap& map, const KindTable& kinds,
        HugePages* huge_pages);

  // Whether a granule is one in which an object might start: in a block that holds objects, but in no tail.
  [[nodiscard]] bool may_start_at(const void* object) const {
    if (reinterpret_cast<std::uintptr_t>(object) % kGranuleBytes != 0) return false;
    const std::size_t block = block_of(object);
    if (block < kFirstBlock) return false;
    const BlockUse use = blocks_[block].use;
    return use == BlockUse::small || use == BlockUse::large_head;
  }
  [[nodiscard]] static std::size_t block_of(const void* object) {
    return (reinterpret_cast<std::uintptr_t>(object) & (kChunkBytes - 1)) / kBlockBytes;
  }
  // The granules from `first` to `end`, which lie in one block.
  [[nodiscard]] static GranuleRange range_of(const std::byte* first, const std::byte* end) {
    JACKDAW_CHECK(first < end && block_of(first) == block_of(end - 1));
    const auto begin = static_cast<std::uint32_t>(GranuleBits::granule_of(first) % kGranulesPerBlock);
    return {begin, begin + static_cast<std::uint32_t>(static_cast<std::size_t>(end - first) / kGranuleBytes)};
  }

  static constexpr unsigned kContentsBits = 2;
  static_assert(kContentsCount <= 1U << kContentsBits);
  static constexpr std::uint8_t kByKind = static_cast<std::uint8_t>(Contents::by_kind);
  static_assert(kByKind == (1U << kContentsBits) - 1, "so that any contents can be made into it");
  static constexpr std::uint8_t kIntercepted = 1U << 7;
  static_assert(KindTable::kMaximumKinds <= kIntercepted >> kContentsBits);
  [[nodiscard]] std::uint8_t kind_byte(KindNumber kind) const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(kind) << kContentsBits |
                                     static_cast<unsigned>(kind_table_[kind].contents));
  }
  [[nodiscard]] static Contents contents_in(std::uint8_t kind) {
    return static_cast<Contents>(kind & ((1U << kContentsBits) - 1));
  }

  // Writes into the map what the block of `object` holds now, if it has slots.
  void tell_map(const void* object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const BlockShape shape = map_.shape_at(address);
    if (shape.holds_slots()) map_.set(address, shape.with_contents(contents_of(object)));
  }

  void extend(std::size_t total_bytes) {
    JACKDAW_CHECK(total_bytes > total_bytes_ && is_oversized());
    total_bytes_ = total_bytes;
  }
  // The part of a huge page that the chunk has.
  [[nodiscard]] std::span<std::byte> memory_of(std::size_t page) {
    std::byte* const start = block_start(page * kBlocksPerHugePage);
    const std::byte* const end = reinterpret_cast<std::byte*>(this) + total_bytes_;
    return {start, std::min(HugePages::kBytes, static_cast<std::size_t>(end - start))};
  }
  void set_all_marks(std::size_t block) {
    marks_.set_block(block);
    // Relaxed: as the marks.
    marker_words_[block].store(0, std::memory_order_relaxed);
  }

  // The order is measured; LayoutOfChunk checks it.
  friend struct LayoutOfChunk;
  GranuleBits marks_;
  GranuleBits allocated_;
  Zeroed<std::atomic<std::uint32_t>, kBlocksPerChunk> marker_words_;
  // Each byte has the kind's number, its contents in the low bits, and kIntercepted. They lie apart from the
  // table so that they stay in the marker's cache.
  Zeroed<std::uint8_t, kBlocksPerChunk> kinds_;
  Zeroed<std::uint8_t, kBlocksPerChunk> takers_;  // by which each block, free or not, was taken last
  Zeroed<BlockInfo, kBlocksPerChunk> blocks_;
  std::size_t search_from_ = kFirstBlock;  // no block before this one is free
  std::size_t free_blocks_ = 0;
  std::uint32_t kinds_taken_ = 0;  // since it was last empty; a bit for each
  static_assert(KindTable::kMaximumKinds <= 32);
  FreeRunStarts free_runs_;
  FreeRunStarts unavoided_runs_;  // of blocks that are not blacklisted
  std::bitset<kBlocksPerChunk> free_;
  std::bitset<kBlocksPerChunk> zero_;        // free blocks that were not written to
  std::bitset<kBlocksPerChunk> given_back_;  // those of them that had been written to before
  std::size_t total_bytes_;
  [[no_unique_address]] HugePagePlan plan_;
  std::atomic<std::uint32_t> swept_{0};
  const std::uint32_t node_;
  BlockMap& map_;
  const KindTable& kind_table_;
};

static_assert(sizeof(Chunk) <= kFirstBlock * kBlockBytes);
static_assert(sizeof(BlockInfo) == 40);

// A chunk has references, so the standard leaves it to the compiler whether offsetof may be used: GCC and
// clang allow it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
struct LayoutOfChunk {
  static constexpr std::size_t kBitBytes = kChunkBytes / kGranuleBytes / 8;
  static constexpr std::size_t kTables = 2 * kBitBytes + sizeof(std::uint32_t) * kBlocksPerChunk;
  static_assert(offsetof(Chunk, marks_) == 0);
  static_assert(offsetof(Chunk, allocated_) == kBitBytes);
  static_assert(offsetof(Chunk, marker_words_) == 2 * kBitBytes);
  static_assert(offsetof(Chunk, kinds_) == kTables);
  static_assert(offsetof(Chunk, takers_) == kTables + kBlocksPerChunk);
  static_assert(offsetof(Chunk, blocks_) == kTables + 2 * kBlocksPerChunk);
};
#pragma GCC diagnostic pop

}  // namespace jackdaw::heap
