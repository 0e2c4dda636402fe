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
// because then a chunk's mark bits are twice as long as the stretch of addresses after which a second-level
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

#include "base/check.h"
#include "base/set_bit.h"
#include "heap/block_map.h"
#include "heap/free_run_starts.h"
#include "heap/huge_pages.h"
#include "heap/kind.h"
#include "heap/layout.h"
#include "heap/object.h"
#include "heap/size_classes.h"

namespace jackdaw::heap {

/// The blocks before this one are the chunk's header.
inline constexpr std::size_t kFirstBlock = 19;
inline constexpr std::size_t kUsableBlocks = kBlocksPerChunk - kFirstBlock;
inline constexpr std::size_t kHugePages = kChunkBytes / HugePages::kBytes;
inline constexpr std::size_t kBlocksPerHugePage = kBlocksPerChunk / kHugePages;
inline constexpr std::size_t kMarkWordsPerBlock = kGranulesPerBlock / 64;

/// The use of a block.
enum class BlockUse : std::uint8_t {
  free,
  small,       ///< slots of one size class
  large_head,  ///< a large object starts here
  large_tail,  ///< a large object goes on here
};

/// Which addresses inside a large object keep it.
enum class LargeAddresses : std::uint8_t {
  all,
  near_start,  ///< those in its first block
};

/// Whether free blocks that words seem to point into are avoided or accepted (see BlockMap::blacklist).
enum class Blacklisted : std::uint8_t { avoided, accepted };

/// One block's entry in the chunk's table.
struct BlockInfo {
  BlockUse use = BlockUse::free;
  bool was_zero = false;                           ///< small: it was not yet written to when it was taken
  bool is_freed = false;                           ///< large_head: by hand, while objects were marked
  std::uint8_t size_class = 0;                     ///< small
  std::uint16_t live_slots = 0;                    ///< small: slots found marked by the last sweep
  std::uint32_t slot_bytes = 0;                    ///< small
  std::uint32_t swept = 0;                         ///< small: the number of the last sweep that it needs not
  LargeAddresses addresses = LargeAddresses::all;  ///< large_head
  std::uint32_t blocks = 0;                        ///< large: how many blocks the object takes
  std::uint64_t large_bytes = 0;                   ///< large_head: bytes of the object
  std::byte* next = nullptr;  ///< small: the next in the heap's list of partly free ones, or of spares

  /// Slots of a small block.
  [[nodiscard]] std::uint32_t slots() const {
    JACKDAW_CHECK(use == BlockUse::small && slot_bytes != 0);
    return static_cast<std::uint32_t>(kBlockBytes) / slot_bytes;
  }
  /// Bytes of a small block's slots that the last sweep found free.
  [[nodiscard]] std::uint64_t free_bytes() const {
    JACKDAW_CHECK(live_slots <= slots());
    return std::uint64_t{slots() - live_slots} * slot_bytes;
  }
};

/// Some granules of a block: [first, end).
struct GranuleRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

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
    std::atomic<std::uint64_t>& word = word_of(object);
    // Relaxed, both: a plain load and store; nobody else marks in the block.
    std::uint64_t bits = word.load(std::memory_order_relaxed);
    if (base::set_bit(bits, reinterpret_cast<std::uintptr_t>(object) / kGranuleBytes)) return false;
    word.store(bits, std::memory_order_relaxed);
    return true;
  }

  /// As mark_exclusively, among threads that mark at the same time: exactly one is told true.
  [[gnu::always_inline]] bool mark_shared(const void* object) {
    JACKDAW_CHECK(may_start_at(object));
    std::atomic<std::uint64_t>& word = word_of(object);
    const std::uint64_t bit = bit_of(object);
    // Relaxed, both: the bit decides who visits the object and orders nothing; the object itself was written
    // before the round began. Looking first spares the locked access for objects that are marked already.
    if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }

  /// Takes the mark back. Nobody marks meanwhile.
  // Relaxed: as in mark_shared.
  void unmark(const void* object) { word_of(object).fetch_and(~bit_of(object), std::memory_order_relaxed); }

  /// Where the object's mark is, for whoever wants to have it near before marking.
  [[nodiscard]] const void* mark_address(const void* object) const { return &word_of(object); }

  /// Likewise of its allocation bit.
  [[nodiscard]] const void* allocation_address(const void* object) const {
    return &allocated_words_[granule_of(object) / 64];
  }

  [[nodiscard]] bool is_marked(const void* object) const {
    return (word_of(object).load(std::memory_order_relaxed) & bit_of(object)) != 0;
  }

  /// A word for each block, for whoever marks to coordinate with others that do; zero when the marks are
  /// cleared.
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
  /// their kind is: whoever marks has something else to do with them. Nobody marks meanwhile.
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
  /// then an address that leads to no object leads to something that is marked already. Nobody marks
  /// meanwhile.
  void clear_marks(std::size_t block);

  /// Whether an object starts at `object`, or may start there: the slots that an allocator has before it
  /// count. Any thread.
  // Relaxed, here and where it is written: whoever holds an object's address got it from the thread that
  // allocated it, and that hand-over orders this, too.
  [[nodiscard]] bool is_allocated(const void* object) const {
    return (allocated_words_[granule_of(object) / 64].load(std::memory_order_relaxed) & bit_of(object)) != 0;
  }
  /// As is_allocated. When it is false, the caller sees what was written to a slot before it was freed by
  /// hand.
  // Acquire: pairs with the release in set_free.
  [[nodiscard]] bool is_allocated_acquire(const void* object) const {
    return (allocated_words_[granule_of(object) / 64].load(std::memory_order_acquire) & bit_of(object)) != 0;
  }
  /// The first run of free slots of a block of small objects, from granule `from` on; empty when there is
  /// none.
  [[nodiscard]] GranuleRange find_free_slots(std::size_t block, std::uint32_t from) const;
  /// From now on objects may start at the slots of a range. Only the one that owns the block calls this.
  /// `freed_by_others`: others may call set_free for the block meanwhile.
  void set_allocated(std::size_t block, GranuleRange slots, bool freed_by_others);
  /// Lets objects start at the slots from `first` to `end`, which lie in one block of any chunk, while nobody
  /// frees.
  static void set_allocated(const std::byte* first, const std::byte* end) {
    of(first)->set_allocated(block_of(first), range_of(first, end), false);
  }
  /// Undoes it. The owner, or anybody when the object is freed by hand.
  static void set_free(const std::byte* first, const std::byte* end);
  /// A large object starts at the start of a block.
  void set_large_allocated(std::size_t block) {
    JACKDAW_CHECK(blocks_[block].use == BlockUse::large_head);
    add_bits(block * kMarkWordsPerBlock, 1);
  }
  /// Keeps allocated what is marked in a block, and nothing else. Nobody marks or allocates in it meanwhile;
  /// `freed_by_others`: others may call set_free.
  void keep_marked(std::size_t block, bool freed_by_others);

  /// The mark words of a block, kMarkWordsPerBlock of them.
  [[nodiscard]] const std::atomic<std::uint64_t>* mark_words(std::size_t block) const {
    JACKDAW_CHECK(block >= kFirstBlock && block < kBlocksPerChunk);
    return &mark_words_[block * kMarkWordsPerBlock];
  }

  /// Likewise the words of the allocation bits.
  [[nodiscard]] const std::atomic<std::uint64_t>* allocated_words(std::size_t block) const {
    JACKDAW_CHECK(block >= kFirstBlock && block < kBlocksPerChunk);
    return &allocated_words_[block * kMarkWordsPerBlock];
  }

  /// Calls `function(Object*)` where an object of a block starts or may start, in address order.
  template <typename Function>
  void for_each_object(std::size_t block, Function function) {
    for (std::size_t word = 0; word < kMarkWordsPerBlock; ++word) {
      // Relaxed: see is_allocated.
      std::uint64_t bits = allocated_words(block)[word].load(std::memory_order_relaxed);
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t granule = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
        function(reinterpret_cast<Object*>(block_start(block) + granule * kGranuleBytes));
      }
    }
  }

  /// Calls `function(Object*)` where an object starts that is marked, from `first` to `end`, which lie in one
  /// block or at its end. Any thread, while others mark and allocate.
  template <typename Function>
  void for_each_marked_start(const Object* first, const Object* end, Function function) const {
    const std::uintptr_t block = reinterpret_cast<std::uintptr_t>(first) & ~(kBlockBytes - 1);
    const std::size_t last =
        (reinterpret_cast<std::uintptr_t>(end) - block + kGranuleBytes - 1) / kGranuleBytes;
    const std::size_t words = block_of(first) * kMarkWordsPerBlock;
    for (std::size_t granule = granule_of(first) % kGranulesPerBlock; granule < last;) {
      const std::size_t word = granule / 64;
      // Relaxed, both: see is_marked and is_allocated.
      std::uint64_t bits = (mark_words_[words + word].load(std::memory_order_relaxed) &
                            allocated_words_[words + word].load(std::memory_order_relaxed)) >>
                           granule % 64;
      for (; bits != 0 && granule < last; granule += 1, bits >>= 1) {
        const auto zeros = static_cast<std::size_t>(__builtin_ctzll(bits));
        granule += zeros;
        bits >>= zeros;
        if (granule < last)
          function(reinterpret_cast<Object*>(block +
                                             granule * kGranuleBytes));  // NOLINT(performance-no-int-to-ptr)
      }
      granule = std::max(granule, (word + 1) * 64);
    }
  }

  /// How many objects of a block of small ones are marked. Nobody marks meanwhile.
  [[nodiscard]] std::uint32_t count_marks(std::size_t block) const;

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
  /// Notes who takes a block.
  void set_taker(std::size_t index, std::uint8_t taker) { takers_[index] = taker; }
  /// Blocks that were blacklisted may be so no longer.
  void forget_blacklisted() { unavoided_runs_.forget(); }
  /// Whether the `count` blocks from `index` on are in the chunk and free.
  [[nodiscard]] bool are_free(std::size_t index, std::size_t count) const;
  /// Takes a block and says whether its memory is zero, because nobody took it before. All its granules count
  /// as marked: objects that are allocated there while others are marked live on.
  bool take_block(std::size_t index, const BlockInfo& info, KindNumber kind);
  void release_block(std::size_t index);
  /// Has the system give blocks their memory, which is zero and the caller's, all at once, also where it
  /// comes in small pages because huge ones are slow to come.
  void populate(std::size_t first, std::size_t count);
  /// Gives the memory of so many blocks back to the system, by whole pages: false when it refuses.
  bool give_back(std::size_t index, std::size_t count);
  /// Gives the memory of free blocks back to the system: of pages that hold nothing else. O(blocks).
  void release_free_memory();
  /// Free blocks whose memory the system has back.
  [[nodiscard]] std::size_t blocks_given_back() const { return given_back_.count(); }
  /// Free blocks that have memory, because somebody wrote to them.
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
    const auto begin = static_cast<std::uint32_t>(granule_of(first) % kGranulesPerBlock);
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
  void populate_within_page(std::size_t block, std::size_t end);
  void decide_on_huge_page(std::size_t page);
  void note_decision(std::size_t page, bool is_huge);
  void clear_allocated(std::size_t block);
  void set_all_marks(std::size_t block);
  void add_bits(std::size_t word, std::uint64_t bits) {
    // Relaxed, both: see is_allocated.
    const std::uint64_t before = allocated_words_[word].load(std::memory_order_relaxed);
    allocated_words_[word].store(before | bits, std::memory_order_relaxed);
  }

  [[nodiscard]] static std::size_t granule_of(const void* object) {
    return (reinterpret_cast<std::uintptr_t>(object) & (kChunkBytes - 1)) / kGranuleBytes;
  }
  [[nodiscard]] static std::uint64_t bit_of(const void* object) {
    return std::uint64_t{1} << (granule_of(object) % 64);
  }
  [[nodiscard]] std::atomic<std::uint64_t>& word_of(const void* object) {
    return mark_words_[granule_of(object) / 64];
  }
  [[nodiscard]] const std::atomic<std::uint64_t>& word_of(const void* object) const {
    return mark_words_[granule_of(object) / 64];
  }

  // Each is zero at first, as a chunk's memory is: pages of them that nobody writes to take no memory.
  template <typename Element, std::size_t kCount>
  union Zeroed {
    Zeroed() {}   // NOLINT(modernize-use-equals-default): would be deleted
    ~Zeroed() {}  // NOLINT(modernize-use-equals-default): likewise
    std::array<Element, kCount> values;
    Element& operator[](std::size_t index) { return values[index]; }
    const Element& operator[](std::size_t index) const { return values[index]; }
  };
  Zeroed<std::atomic<std::uint64_t>, kChunkBytes / kGranuleBytes / 64> mark_words_;
  Zeroed<std::atomic<std::uint64_t>, kChunkBytes / kGranuleBytes / 64> allocated_words_;
  Zeroed<std::atomic<std::uint32_t>, kBlocksPerChunk> marker_words_;
  // The kind's number and, in the low bits, its contents; kIntercepted. Apart from the table: it stays in the
  // marker's cache.
  Zeroed<std::uint8_t, kBlocksPerChunk> kinds_;
  Zeroed<std::uint8_t, kBlocksPerChunk> takers_;  // who took each block last, also free ones
  Zeroed<BlockInfo, kBlocksPerChunk> blocks_;
  std::size_t search_from_ = kFirstBlock;  // no block before this one is free
  std::size_t free_blocks_ = 0;
  std::uint32_t kinds_taken_ = 0;  // since it was last empty; a bit for each
  static_assert(KindTable::kMaximumKinds <= 32);
  FreeRunStarts free_runs_;
  FreeRunStarts unavoided_runs_;  // of blocks that are not blacklisted
  std::bitset<kBlocksPerChunk> free_;
  std::bitset<kBlocksPerChunk> zero_;        // free blocks that nobody wrote to
  std::bitset<kBlocksPerChunk> given_back_;  // those of them that somebody had written to
  std::size_t total_bytes_;
  HugePages* const huge_pages_;
  std::bitset<kHugePages> is_decided_;  // whether a page is to be huge
  // Those that are not to be, because huge pages are slow to come. Read by whoever took a block on them.
  std::atomic<std::uint8_t> small_pages_{0};
  std::atomic<std::uint8_t> untimed_pages_{0};  // huge ones that nobody wrote to yet
  std::atomic<std::uint32_t> swept_{0};
  const std::uint32_t node_;
  BlockMap& map_;
  const KindTable& kind_table_;
};

static_assert(sizeof(Chunk) <= kFirstBlock * kBlockBytes);

}  // namespace jackdaw::heap
