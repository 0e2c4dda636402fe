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
// block holds slots of one size class, or part of a large object or a span. An object that no chunk can hold
// gets a chunk as long as it needs; only the first 16 MiB of it have marks and blocks, which is where the
// object starts. Where addresses are scarce a chunk may be shorter: then only its first blocks are there.
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

/// Whether a search avoids or accepts free blocks that words seem to point into (BlockMap::blacklist).
enum class Blacklisted : std::uint8_t { avoided, accepted };

class Chunk {
 public:
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  /// The chunk in which `object` starts. The address is not checked.
  static Chunk* of(const void* object) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(object) & ~(kChunkBytes - 1));
  }

  /// Sets the mark of the object that starts at `object` and returns whether it was clear. No other thread
  /// may mark in its block meanwhile.
  [[gnu::always_inline]] bool mark_exclusively(const void* object) {
    JACKDAW_CHECK(may_start_at(object));
    return marks_.set_exclusively(object);
  }

  /// Sets the mark as mark_exclusively() does, for a caller that knows granule_of(object).
  [[gnu::always_inline]] bool mark_exclusively_at([[maybe_unused]] const void* object, std::size_t granule) {
    JACKDAW_CHECK(may_start_at(object));
    return marks_.set_exclusively_at(granule);
  }
  /// Returns the number of the object's granule in the chunk.
  [[nodiscard, gnu::always_inline]] static std::size_t granule_of(const void* object) {
    std::size_t granule = GranuleBits::granule_of(object);
    // Otherwise compilers compute each index from the address, in more instructions.
    asm("" : "+r"(granule));
    return granule;
  }

  /// Sets the mark as mark_exclusively() does, among several marking threads: it returns true to exactly one.
  [[gnu::always_inline]] bool mark_shared(const void* object) {
    JACKDAW_CHECK(may_start_at(object));
    return marks_.set_shared(object);
  }

  /// Clears the mark. No thread may mark meanwhile.
  void unmark(const void* object) { marks_.reset(object); }

  /// Returns the address of the object's mark, to be prefetched before marking.
  [[nodiscard]] const void* mark_address(const void* object) const { return &marks_.word_of(object); }

  /// Returns the address of the object's allocation bit, to be prefetched.
  [[nodiscard]] const void* allocation_address(const void* object) const {
    return &allocated_.word_of(object);
  }

  [[nodiscard]] bool is_marked(const void* object) const {
    return marks_.test(object, std::memory_order_relaxed);
  }

  /// Returns the word of the object's block by which marking threads coordinate; clearing the marks makes it
  /// zero.
  [[nodiscard]] std::atomic<std::uint32_t>& marker_word_of(const void* object) {
    return marker_words_[block_of(object)];
  }
  /// Returns how the references of all objects in the block of `object` are found.
  [[nodiscard]] Contents contents_of(const void* object) const {
    return contents_in(kinds_[block_of(object)]);
  }
  /// Returns contents_of() for an object in that granule, fastest if it is Contents::references.
  [[nodiscard, gnu::always_inline]] Contents contents_at(std::size_t granule) const {
    static_assert(static_cast<int>(KindNumber::references) == 0 &&
                  static_cast<int>(Contents::references) == 0);
    std::size_t block = granule / kGranulesPerBlock;
    if (kinds_[block] == 0) [[likely]]
      return Contents::references;
    // Otherwise compilers load the kind before the test, which takes one more instruction.
    asm("" : "+r"(block));
    return contents_in(kinds_[block]);
  }
  [[nodiscard]] Contents contents(std::size_t block) const { return contents_in(kinds_[block]); }
  /// Returns the kind of all objects in the block of `object`.
  [[nodiscard]] KindNumber kind_of(const void* object) const { return kind(block_of(object)); }
  [[nodiscard]] KindNumber kind(std::size_t block) const {
    return static_cast<KindNumber>((kinds_[block] & ~kIntercepted) >> kContentsBits);
  }
  /// Until end_interception(), contents_of() returns by_kind for all objects of the block, whatever their
  /// kind, so that the marker handles them apart. No thread may mark meanwhile.
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
  /// Returns the bytes of the large object, or of the span's slot, that starts at `object`.
  [[nodiscard]] static std::uint64_t large_bytes_of(const void* object) {
    const Chunk& chunk = *of(object);
    JACKDAW_CHECK(chunk.blocks_[block_of(object)].large_bytes != 0);
    return chunk.blocks_[chunk.block_index(static_cast<const std::byte*>(object))].large_bytes;
  }

  /// Clears the marks of a block's objects and the marker's word, and sets the marks of all other granules:
  /// an address that leads to no object then leads to something marked. No thread may mark meanwhile.
  void clear_marks(std::size_t block) {
    JACKDAW_CHECK(blocks_[block].use != BlockUse::free);
    marks_.set_block_to_complement(block, allocated_);
    marker_words_[block].store(0, std::memory_order_relaxed);
  }

  /// Whether an object starts at `object`, or may start there, as in a slot that an allocator holds. Any
  /// thread.
  // Relaxed, here and where it is written: a thread got the object's address from the one that allocated it,
  // and that hand-over orders this, too.
  [[nodiscard]] bool is_allocated(const void* object) const {
    return allocated_.test(object, std::memory_order_relaxed);
  }
  /// Answers as is_allocated(). If it is false, the caller sees what was written to a slot before its
  /// explicit free.
  // Acquire: pairs with the release in GranuleBits::clear_range.
  [[nodiscard]] bool is_allocated_acquire(const void* object) const {
    return allocated_.test(object, std::memory_order_acquire);
  }
  /// Returns the first run of free slots of a block of small objects, from granule `from` on; empty when
  /// there is none.
  [[nodiscard]] GranuleRange find_free_slots(std::size_t block, std::uint32_t from) const {
    JACKDAW_CHECK(blocks_[block].use == BlockUse::small && from <= kGranulesPerBlock);
    return allocated_.find_clear_slots(block, SizeClasses::slot_starts(blocks_[block].size_class), from);
  }
  /// Lets objects start at the slots of a range. Only for the owner of the block. `freed_by_others`: other
  /// threads may call set_free() for the block meanwhile.
  void set_allocated(std::size_t block, GranuleRange slots, bool freed_by_others);
  /// Finds the first run of free slots from granule `from` on, and lets objects start there, if a slot in use
  /// follows closely; else the result is empty. Only for the owner of the block; no thread may free
  /// meanwhile.
  GranuleRange take_short_run(std::size_t block, std::uint8_t size_class, std::uint32_t from) {
    JACKDAW_CHECK(blocks_[block].use == BlockUse::small && blocks_[block].size_class == size_class);
    return allocated_.take_run_of_word(block, SizeClasses::slot_starts(size_class), from);
  }
  /// Lets objects start at the slots from `first` to `end`, which lie in one block of any chunk. No thread
  /// may free meanwhile.
  static void set_allocated(const std::byte* first, const std::byte* end) {
    of(first)->set_allocated(block_of(first), range_of(first, end), false);
  }
  /// Undoes set_allocated(). For the owner of the block, and for any thread that frees the object explicitly.
  static void set_free(const std::byte* first, const std::byte* end) {
    JACKDAW_CHECK(of(first)->may_start_at(first));
    of(first)->allocated_.clear_range(block_of(first), range_of(first, end));
  }
  /// Notes that a large object starts at `start`.
  void set_large_allocated(const void* start) {
    JACKDAW_CHECK(blocks_[block_of(start)].large_bytes != 0);
    allocated_.add(GranuleBits::granule_of(start) / 64, GranuleBits::bit_of(start));
  }
  /// Copies the marks of a block to its allocation bits. No thread may mark or allocate in it meanwhile;
  /// `freed_by_others`: other threads may call set_free().
  void keep_marked(std::size_t block, bool freed_by_others) {
    JACKDAW_CHECK(blocks_[block].use == BlockUse::small);
    allocated_.keep_common(block, marks_, freed_by_others);
  }

  /// Returns the kMarkWordsPerBlock mark words of a block.
  [[nodiscard]] const std::atomic<std::uint64_t>* mark_words(std::size_t block) const {
    JACKDAW_CHECK(block >= kFirstBlock && block < kBlocksPerChunk);
    return marks_.words(block);
  }

  /// Returns the kMarkWordsPerBlock words of a block's allocation bits.
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

  /// Calls `function(Object*)` for each marked object that starts from `first` to `end`, which lie in one
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

  /// Returns how many objects of a block of small ones are marked. No thread may mark meanwhile.
  [[nodiscard]] std::uint32_t count_marks(std::size_t block) const {
    return GranuleBits::count_common(marks_, allocated_, block, blocks_[block]);
  }

  /// The address where a block starts.
  [[nodiscard]] std::byte* block_start(std::size_t block) {
    return reinterpret_cast<std::byte*>(this) + block * kBlockBytes;
  }
  /// Returns the start of slot `slot` of the span whose first block is `index`.
  [[nodiscard]] std::byte* slot_of_span(std::size_t index, std::size_t slot) {
    JACKDAW_CHECK(block(index).is_span_head() && slot < block(index).slots());
    return block_start(index) + slot * block(index).slot_bytes;
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
  /// Returns the number of the last sweep that came to the chunk.
  // Acquire: pairs with the release in set_swept, so that a thread which finds the chunk swept finds in the
  // map which blocks were released.
  [[nodiscard]] std::uint32_t swept() const { return swept_.load(std::memory_order_acquire); }
  void set_swept(std::uint32_t sweep) {
    JACKDAW_CHECK(static_cast<std::int32_t>(sweep - swept()) >= 0);  // numbers may wrap around
    swept_.store(sweep, std::memory_order_release);
  }
  /// Returns the number of the memory node that the chunk lies on, among MemoryNodes' kinds of chunks.
  [[nodiscard]] std::uint32_t node() const { return node_; }
  /// Returns the number of free blocks.
  [[nodiscard]] std::size_t free_blocks() const { return free_blocks_; }
  /// Returns the number of blocks for objects, used or not.
  [[nodiscard]] std::size_t usable_blocks() const { return total_bytes_ / kBlockBytes - kFirstBlock; }
  [[nodiscard]] bool is_empty() const { return free_blocks_ == std::min(usable_blocks(), kUsableBlocks); }
  /// Whether a block was taken, since the chunk was last empty, for a kind for which `is_wanted(KindNumber)`
  /// is true. O(kinds).
  template <typename IsWanted>
  [[nodiscard]] bool may_hold(IsWanted is_wanted) const {
    for (std::uint32_t kinds = kinds_taken_; kinds != 0; kinds &= kinds - 1) {
      if (is_wanted(static_cast<KindNumber>(__builtin_ctz(kinds)))) return true;
    }
    return false;
  }

  /// Returns the first of `count` neighbouring free blocks, or 0 when there are none. O(blocks); amortised
  /// O(1) for a chunk that is filled block by block, and after a search in vain until a block is released.
  [[nodiscard]] std::size_t find_free(std::size_t count, Blacklisted blacklisted = Blacklisted::accepted);
  /// Returns the first free block with memory, from `from` on, that `taker` was the last to take for small
  /// objects, or 0 when there is none. O(blocks).
  [[nodiscard]] std::size_t find_free_of(std::uint8_t taker, std::size_t from) const;
  /// Notes the processor that takes a block.
  void set_taker(std::size_t index, std::uint8_t taker) {
    if (takers_[index] != taker) takers_[index] = taker;
  }
  /// Makes searches look again at blocks that may be blacklisted no longer.
  void forget_blacklisted() { unavoided_runs_.forget(); }
  /// Whether the `count` blocks from `index` on are in the chunk and free.
  [[nodiscard]] bool are_free(std::size_t index, std::size_t count) const;
  /// Takes a block and returns whether its memory is zero because it was never taken. Its marks are to be set
  /// (set_all_marks) before the map says that it holds objects, and one of small slots is to forget_slots().
  bool take_block(std::size_t index, const BlockInfo& info, KindNumber kind);
  /// Leaves the allocation bits of small slots as they are: they lie in the cache of the processor that had
  /// the block, which is likely to take it again.
  void release_block(std::size_t index);
  /// Clears the allocation bits that a block's last use has left.
  void forget_slots(std::size_t index) { allocated_.clear_block(index); }
  /// Makes all granules of a block that was taken marked: objects allocated there during a marking live on.
  /// The thread that took it may call this without the heap's lock.
  void set_all_marks(std::size_t block) {
    marks_.set_block(block);
    // Relaxed: as the marks, it is published by the block's entry in the map.
    marker_words_[block].store(0, std::memory_order_relaxed);
  }
  /// Has the system populate `bytes` bytes from a multiple of kQuarterBytes on, whose memory is zero and the
  /// caller's, at once, also where it comes in small pages because huge ones are slow to come.
  void populate(std::byte* start, std::size_t bytes);
  /// Returns the memory of `count` blocks to the system, by whole pages; false when it refuses.
  bool give_back(std::size_t index, std::size_t count);
  /// Returns the memory of free blocks to the system, by pages that hold nothing else, and returns their
  /// number. O(blocks).
  std::size_t release_free_memory();
  /// Releases memory as release_free_memory() does, but of the last huge page alone that has free blocks with
  /// memory.
  std::size_t release_last_free_memory();
  /// Returns those pages of a block, or of the span that starts with it, to the system that hold no allocated
  /// slot, or lie behind the large object that starts with it, unless the system has them. Returns their
  /// bytes. No allocator owns the block.
  std::size_t release_free_pages(std::size_t index);
  /// Returns the number of free blocks whose memory the system has back.
  [[nodiscard]] std::size_t blocks_given_back() const { return given_back_.count(); }
  /// Returns how many blocks begin on one of the system's pages, at least 1.
  [[nodiscard]] static std::size_t blocks_of_page();
  /// Returns the number of free blocks that have memory, because they were written to.
  [[nodiscard]] std::size_t written_free_blocks() const { return (free_ & ~zero_).count(); }
  /// Returns how many of the `count` blocks from `index` on, all free, have no memory.
  [[nodiscard]] std::size_t count_zero(std::size_t index, std::size_t count) const;
  [[nodiscard]] bool is_given_back(std::size_t index) const { return given_back_.test(index); }

 private:
  friend class HeapSpace;
  // Constructs a chunk in zeroed memory. With `huge_pages`, each part asks for a huge page when it is first
  // used.
  Chunk(std::size_t total_bytes, std::uint32_t node, BlockMap& map, const KindTable& kinds,
        HugePages* huge_pages);

  // Whether an object can start in a granule: its block holds objects and is no tail of a large one.
  // Any granule of a span passes.
  [[nodiscard]] bool may_start_at(const void* object) const {
    if (reinterpret_cast<std::uintptr_t>(object) % kGranuleBytes != 0) return false;
    const std::size_t block = block_of(object);
    if (block < kFirstBlock) return false;
    return blocks_[block].has_starts();
  }
  [[nodiscard]] static std::size_t block_of(const void* object) {
    return (reinterpret_cast<std::uintptr_t>(object) & (kChunkBytes - 1)) / kBlockBytes;
  }
  // Returns the granules from `first` to `end`, which lie in one block.
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

  // Writes to the map how the block of `object` is divided, if it has slots.
  void tell_map(const void* object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const BlockShape shape = map_.shape_at(address);
    if (shape.holds_slots()) map_.set(address, shape.with_contents(contents_of(object)));
  }

  std::size_t release_free_memory_of(std::size_t huge_page);
  void note_released(std::size_t huge_page);
  std::size_t release_pages_between_slots(std::size_t index);
  std::size_t release_pages_behind(std::size_t index);
  std::size_t release_slots_of_span(std::size_t index);

  void extend(std::size_t total_bytes) {
    JACKDAW_CHECK(total_bytes > total_bytes_ && is_oversized());
    total_bytes_ = total_bytes;
  }
  // Returns the part of a huge page that belongs to the chunk.
  [[nodiscard]] std::span<std::byte> memory_of(std::size_t page) {
    std::byte* const start = block_start(page * kBlocksPerHugePage);
    const std::byte* const end = reinterpret_cast<std::byte*>(this) + total_bytes_;
    return {start, std::min(HugePages::kBytes, static_cast<std::size_t>(end - start))};
  }

  // The order of the fields is measured, and LayoutOfChunk checks it.
  friend struct LayoutOfChunk;
  GranuleBits marks_;
  GranuleBits allocated_;
  Zeroed<std::atomic<std::uint32_t>, kBlocksPerChunk> marker_words_;
  // Each byte holds the number of a block's kind, its contents in the low bits, and kIntercepted. They are
  // apart from the table so that they stay in the marker's cache.
  Zeroed<std::uint8_t, kBlocksPerChunk> kinds_;
  Zeroed<std::uint8_t, kBlocksPerChunk> takers_;  // the last taker of each block, free or not
  Zeroed<BlockInfo, kBlocksPerChunk> blocks_;
  std::size_t search_from_ = kFirstBlock;  // no block before this one is free
  std::size_t free_blocks_ = 0;
  std::uint32_t kinds_taken_ = 0;  // since the chunk was last empty; one bit for each kind
  static_assert(KindTable::kMaximumKinds <= 32);
  FreeRunStarts free_runs_;
  FreeRunStarts unavoided_runs_;  // starts among blocks that are not blacklisted
  std::bitset<kBlocksPerChunk> free_;
  std::bitset<kBlocksPerChunk> zero_;        // free blocks that were not written to
  std::bitset<kBlocksPerChunk> given_back_;  // those of zero_ that had been written to before
  std::size_t total_bytes_;
  [[no_unique_address]] HugePagePlan plan_;
  std::atomic<std::uint32_t> swept_{0};
  const std::uint32_t node_;
  BlockMap& map_;
  const KindTable& kind_table_;
};

static_assert(sizeof(Chunk) <= kFirstBlock * kBlockBytes);
static_assert(sizeof(BlockInfo) == 40);

// Chunk has reference members, so offsetof is only conditionally supported: GCC and clang do support it.
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
