// Heap: allocates and frees objects, clears their marks and sweeps them.
//
// Allocators, one a thread, take blocks here (own_block) and find free slots in them. Large objects have
// blocks of their own or share spans. The heap's parts: which blocks are free (Blocks), which are partly free
// (PartlyFree), which spans have free slots (Spans), what may be allocated (Budget) and the sweep (Sweeper).
// The heap holds the lock that they share, knows the allocators, and brings the parts together. It knows no
// thread and no root. docs/heap-layout.md tells the layout of the data.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/adaptive_mutex.h"
#include "base/export.h"
#include "base/page_vector.h"
#include "base/work_time.h"
#include "heap/blocks.h"
#include "heap/budget.h"
#include "heap/chunk.h"
#include "heap/displacements.h"
#include "heap/heap_usage.h"
#include "heap/kind.h"
#include "heap/memory_nodes.h"
#include "heap/object.h"
#include "heap/partly_free.h"
#include "heap/poison.h"
#include "heap/small_block.h"
#include "heap/spans.h"
#include "heap/sweeper.h"
#include "heap/taken_memory.h"
#include "heap/type_descriptor.h"

namespace jackdaw::heap {

class Allocator;

/// How a sweep treats the blocks that allocators own.
enum class OwnedBlocks : std::uint8_t {
  taken_back,  ///< the allocators start afresh; no call of theirs may be under way
  left,        ///< they go on where they were, also in the midst of Allocator::allocate_from_run, but without
               ///< spares
};

/// The sections of its functions say which threads may call them, and when.
class Heap {
 public:
  /// `limit_bytes`: the blocks with memory never take more in all. `nodes`: where chunks lie. Throws
  /// std::bad_alloc when there are no addresses.
  explicit Heap(std::size_t limit_bytes = std::numeric_limits<std::size_t>::max(),
                const MemoryNodes& nodes = {});
  /// Frees all objects. All allocators must be gone.
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// Adds a kind of objects and returns its number, or nothing when there are too many. Any thread.
  std::optional<KindNumber> add_kind(const Kind& kind) {
    const std::lock_guard lock(mutex_);
    return kinds_.add(kind);
  }
  [[nodiscard]] const KindTable& kinds() const { return kinds_; }

  // --- Any thread, at any time between collections ---

  /// Gives the caller a block with free slots of the class for objects of a kind, or one with a null chunk
  /// when there is no memory or the budget is spent. A wholly free block brings up to `spares` others, if
  /// there are many. Memory near the calling thread comes first, even in a new chunk.
  SmallBlock own_block(std::uint8_t size_class, KindNumber kind, std::uint32_t spares);
  /// Opens and returns the first of some spares, not null, with the others. Their owner calls it.
  SmallBlock take_spare(std::byte* spares);
  /// Returns memory for an object larger than kLargestSmallBytes, cleared as its kind says, or null when
  /// there is none or the budget is spent.
  Object* allocate_large(std::size_t bytes, KindNumber kind, LargeAddresses addresses = LargeAddresses::all);
  /// Frees a large object, which must not be used any more.
  void free_large(Object* object);
  /// Changes the length of a large object in place, to more than kLargestSmallBytes. False, with nothing
  /// changed, when that is not possible. New bytes are cleared if the kind is; but all bytes of a span's slot
  /// belong to its object at any length, and keep their contents.
  bool resize_large(Object* object, std::size_t bytes);
  /// Frees a small object's slot of `bytes` bytes, which is allocated again after the next collection.
  void free_slot(Object* object, std::size_t bytes);
  /// Returns the bytes of an object with its slot's padding. O(1).
  [[nodiscard]] static std::size_t bytes_of(const Object* object);
  /// Returns the bytes handed out to allocators since the last sweep, counted by whole free runs.
  [[nodiscard]] std::uint64_t allocated_bytes() const { return budget_.allocated(); }
  /// Returns the thresholds at which allocation fails, so that the collector runs. Any thread.
  [[nodiscard]] Budget& budget() { return budget_; }
  [[nodiscard]] const Budget& budget() const { return budget_; }
  /// These count bytes of objects that are managed above the heap as handed out, or as explicitly freed.
  void count_allocated_elsewhere(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    count_allocated(bytes);
  }
  void count_freed_elsewhere(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    budget_.count_freed(bytes);
  }
  /// Adds chunks, on all nodes in turn, until their blocks take `bytes` bytes, and keeps that many through
  /// all collections; false when there is no memory, or the limit is lower.
  bool expand_to(std::uint64_t bytes);
  /// Returns the most bytes that all blocks with memory may take in all.
  [[nodiscard]] std::size_t limit() {
    const std::lock_guard lock(mutex_);
    return blocks_.limit();
  }
  /// Changes the limit. Blocks in use stay.
  void set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    blocks_.set_limit(bytes);
  }
  /// Returns the pattern in memory that holds no object, with its checks (JACKDAW_POISON).
  Poison& poison() { return poison_; }
  [[nodiscard]] const Poison& poison() const { return poison_; }
  /// Whether an object of `bytes` bytes would fit into the heap if that were empty and had no limit.
  [[nodiscard]] bool may_hold(std::size_t bytes) const { return bytes < addresses().size(); }
  /// Returns the size of the heap: its blocks with memory, and at least the size it was expanded to. Any
  /// thread.
  [[nodiscard]] std::uint64_t bytes() const {
    return std::max(blocks_.bytes_with_memory(), blocks_.kept_bytes());
  }
  /// Returns the bytes of addresses of all chunks, with or without memory.
  [[nodiscard]] std::uint64_t chunk_bytes() const { return blocks_.chunk_bytes(); }

  /// Returns the bytes of all chunks of each memory node. O(chunks).
  [[nodiscard]] std::vector<std::uint64_t> chunk_bytes_by_node();
  /// Returns where the chunks lie. Any thread.
  [[nodiscard]] const MemoryNodes& nodes() const { return blocks_.nodes(); }

  /// Returns the notes of what memory was taken from the system.
  [[nodiscard]] TakenMemoryNotes& taken_memory() { return blocks_.taken_memory(); }
  [[nodiscard]] const TakenMemoryNotes& taken_memory() const { return blocks_.taken_memory(); }
  /// Removes the oldest of these notes and returns it; nothing when there is none.
  std::optional<TakenMemory> take_note_of_taken() {
    const std::lock_guard lock(mutex_);
    return blocks_.taken_memory().take();
  }

  /// Makes an object a sample every `bytes` bytes on average from now on; 0: none becomes one. Runs that
  /// allocators have at hand are used up before. Any thread.
  // Relaxed, both: a number that publishes nothing.
  void set_sample_every(std::uint64_t bytes) { sample_every_.store(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t sample_every() const { return sample_every_.load(std::memory_order_relaxed); }
  /// Returns a seed for the samples of one more allocator. Any thread.
  // Relaxed: the numbers differ, and publish nothing.
  std::uint64_t next_sample_seed() { return sample_seeds_.fetch_add(1, std::memory_order_relaxed); }
  /// Returns the processor time that threads of the program spend on the collector's work: sweeping before an
  /// allocation counts, and what the collector adds.
  [[nodiscard]] base::WorkTime& work_time() { return work_time_; }
  [[nodiscard]] const base::WorkTime& work_time() const { return work_time_; }
  /// Returns figures on the use of the heap's memory and on allocation.
  [[nodiscard]] const HeapUsage& usage() const { return usage_; }

  /// Returns all addresses that objects can ever have.
  [[nodiscard]] std::span<const std::byte> addresses() const { return blocks_.addresses(); }
  /// Returns where objects start, for a search of words that may be addresses (heap/word_scan.h).
  [[nodiscard]] const BlockMap& map() const { return blocks_.map(); }

  /// Returns the object with a byte at `address`, or null: for any address, by any thread at any time,
  /// without a lock. Objects that the last collection found dead are left out, also before they are swept. In
  /// blocks without types, slots that an allocator holds count as objects. O(1).
  [[nodiscard]] JACKDAW_EXPORT Object* object_at(const void* address) const;

  // --- The collector, while no thread allocates ---

  /// Calls `function(Object*)` where an object of a kind for which `is_wanted(KindNumber)` is true starts or
  /// may start: slots that an allocator holds count. O(chunks), and O(blocks) of those that had such objects
  /// since they were last empty.
  template <typename IsWanted, typename Function>
  void for_each_object_of(IsWanted is_wanted, Function function);
  /// Calls `function(Object*)` for every uncollectable object, as for_each_object_of() does.
  template <typename Function>
  void for_each_uncollectable(Function function);
  /// Clears the marks of all objects. O(chunks): a streamed write of one bit for each granule.
  void clear_marks();
  /// These clear all marks in parts: first start_clearing_marks(), then each chunk's, which several threads
  /// may share. Chunks are numbered from 0 on.
  void start_clearing_marks();
  void clear_marks_of_chunk(std::size_t index);
  [[nodiscard]] std::size_t chunk_count() const { return blocks_.chunks().size(); }
  /// Sets which interior pointers keep an object if they are found elsewhere than in stacks: all, the
  /// default, or those at displacements().
  void set_all_addresses_keep(bool all) { blocks_.map().set_displacements(all ? nullptr : &displacements_); }
  Displacements& displacements() { return displacements_; }

  /// Must be called before memory is allocated. The first chunk never asks for huge pages.
  void set_huge_page_use(HugePageUse use) { blocks_.huge_pages().set_use(use); }

  // --- Marking while threads allocate ---
  //
  // Between begin_marking() and end_marking() or give_up_marking() threads may allocate and free. New objects
  // are marked, or are found like old ones; explicitly freed ones keep their memory until the sweep, or until
  // the marking is given up, so that markers may read it.

  /// Begins a marking. To be called while no thread allocates.
  void begin_marking();
  /// Whether an object's block was taken by an allocator, or for an object that starts there, since
  /// begin_marking(). Also true of one taken 255 markings before, since their numbers repeat. To be called
  /// while no thread allocates.
  [[nodiscard]] bool is_block_new(const Object* object) const {
    const Chunk& chunk = *Chunk::of(object);
    const BlockInfo& info = chunk.block(chunk.block_index(reinterpret_cast<const std::byte*>(object)));
    return is_marking_ && info.marking == marking_;
  }
  /// Clears the marks of the chunk with that number, from 0 on; false when there is none. One thread clears
  /// those of all chunks before marking.
  bool clear_marks_while_allocating(std::size_t index);
  /// The place where a walk over the blocks of all chunks goes on.
  struct Place {
    std::size_t chunk = 0;
    std::size_t block = kFirstBlock;
  };
  /// Calls `function(Object*)` for uncollectable objects of blocks from `place` on, and moves `place` behind
  /// them; false when no chunk is left. One call visits one chunk at most, and no further block once `enough`
  /// objects were found. Takes the lock.
  template <typename Function>
  bool for_each_uncollectable_from(Place& place, std::size_t enough, Function function);
  /// Gives threads memory only beyond the budget from now on, even from blocks that they own, so that the
  /// next thread to allocate asks the collector. To be called while no thread allocates. Budget::let_in
  /// undoes it.
  void lock_out_allocators();
  /// Makes the fast path of one allocator fail until its slow path was taken, which is let in.
  static void lock_out(Allocator& allocator);
  /// Takes back all blocks that an allocator owns, while no thread uses it.
  void take_back_blocks(Allocator& allocator);
  /// Ends the marking and lets allocators in. To be called while no thread allocates, before the sweep.
  void end_marking() {
    const std::lock_guard lock(mutex_);
    stop_marking();
  }
  /// Ends the marking without a sweep: frees what was freed explicitly meanwhile. No thread marks. Does
  /// nothing where no marking is under way. O(blocks) if large objects were freed.
  void give_up_marking();
  /// Calls `function(Object*)` for every marked object that may hold references and lies partly between two
  /// addresses of one block. Any thread.
  template <typename Function>
  void for_each_marked_between(std::uintptr_t begin, std::uintptr_t end, Function function) const;

  /// Begins a sweep, while no thread allocates: marks are final, and nothing is free yet.
  void start_sweep(OwnedBlocks owned);
  /// Sweeps the next chunk; true when it was the last one. Any thread, while others allocate.
  bool sweep_some() {
    const std::lock_guard lock(mutex_);
    return sweeper_.sweep_next_chunk();
  }
  /// Sweeps all chunks that are left. Any thread.
  void finish_sweep() {
    while (!sweep_some()) continue;
  }
  /// Returns how many allocators took blocks at the same time before the last sweep.
  [[nodiscard]] std::uint32_t busy_allocators() const { return busy_allocators_; }
  /// Returns what the sweep has found so far.
  [[nodiscard]] const SweepResult& swept() const { return sweeper_.result(); }

  /// Lets no free slot count as an object until sweep(), be it held by an allocator or explicitly freed.
  /// O(such slots).
  void withdraw_free_slots();
  /// Withdraws, as withdraw_free_slots() does, the free slots of uncollectable kinds alone, which then are no
  /// roots. What is allocated from runs at hand before sweep() is to be set allocated again.
  void withdraw_uncollectable_slots();
  /// Whether memory stopped being an object since the last call other than by a sweep: the program freed or
  /// shortened one, or its slot was withdrawn. A freed slot still is one while an allocator holds it. To be
  /// called while no thread frees.
  bool take_objects_ended() { return have_objects_ended_.exchange(false, std::memory_order_relaxed); }
  /// Frees the memory of all unmarked objects. O(blocks).
  SweepResult sweep(OwnedBlocks owned = OwnedBlocks::taken_back);
  /// Calls `function(Object*)` wherever an unmarked object of a kind starts or may start: slots that an
  /// allocator holds count. It takes the time of for_each_object_of().
  template <typename Function>
  void for_each_unmarked(KindNumber kind, Function function);
  /// Calls `function(Object*)` for every marked object, in address order within a chunk.
  template <typename Function>
  void for_each_marked(Function function);
  /// Calls `function(const Chunk*)` for every chunk. With the heap's lock.
  template <typename Function>
  void for_each_chunk(Function function) {
    const std::lock_guard lock(mutex_);
    for (const Chunk* const chunk : blocks_.chunks()) function(chunk);
  }
  /// Returns free memory to the system: empty chunks, and the free blocks of others. Returns the bytes of the
  /// released chunks. O(blocks). Any time between collections.
  std::uint64_t release_free_memory();
  /// Releases empty chunks, but keeps those without which the blocks of all would take less than
  /// `keep_bytes`. Returns the bytes of the chunks. Any time between collections.
  std::uint64_t release_empty_chunks(std::uint64_t keep_bytes) {
    const std::lock_guard lock(mutex_);
    return release_empty_chunks_beyond(keep_bytes);
  }
  /// Returns free memory to the system, the free blocks of one huge page at most, as long as bytes() stays
  /// `keep_bytes` or more, or else an empty chunk without memory. Returns the bytes; 0 when nothing is left
  /// to do. What allocation would use last goes first. O(chunks). Any time between collections.
  std::uint64_t give_back_some(std::uint64_t keep_bytes);
  /// Returns those pages of partly free blocks to the system that hold no object, and those behind the end of
  /// large objects, unless freed memory keeps a pattern (Poison). Returns their bytes, which still count as
  /// used. O(blocks). Any time between collections.
  std::uint64_t release_free_pages();
  /// Returns pages as release_free_pages() does, of some blocks from `place` on, moves `place` behind them
  /// and adds the bytes to `released`. False when no chunk is left, or nothing may be released now.
  bool release_free_pages_from(Place& place, std::uint64_t& released);
  /// Returns the bytes of the chunks' headers: mark bits and block tables.
  [[nodiscard]] std::uint64_t header_bytes() const { return blocks_.header_bytes(); }

 private:
  friend class Allocator;
  void register_allocator(Allocator* allocator);
  void unregister_allocator(Allocator* allocator);
  void abandon(std::byte* freed);
  // Relaxed, here and in take_objects_ended(): no thread is stopped between this and the end of the object,
  // and to stop the threads orders the rest.
  void note_object_ended() {
    if (!have_objects_ended_.load(std::memory_order_relaxed))
      have_objects_ended_.store(true, std::memory_order_relaxed);
  }

  void count_allocated(std::uint64_t bytes) {
    budget_.count_allocated(bytes);
    usage_.allocated.add(bytes);
  }

  void sweep_to_allocate();
  [[nodiscard]] std::uint8_t present_marking() const { return is_marking_ ? marking_ : 0; }
  void stop_marking() {
    is_marking_ = false;
    has_freed_ = false;
    budget_.let_in();
  }

  SmallBlock own_partly_free(std::byte*& list);
  SmallBlock own_partly_free_anywhere(std::uint8_t size_class, KindNumber kind);
  SmallBlock own_free_with_spares(std::uint8_t size_class, KindNumber kind, std::uint32_t spares);
  SmallBlock own_free(std::uint8_t size_class, KindNumber kind, BlockSearch::Taker taker);
  static void forget_slots(const SmallBlock& block);
  void open(const SmallBlock& block);
  // A search sweeps this many chunks at most before it tries a new chunk, or gives up a span.
  static constexpr std::size_t kFewChunks = 4;
  Chunk* chunk_with_free_blocks(std::size_t count, std::size_t& first, Blacklisted blacklisted);
  Chunk* find_sweeping(std::size_t count, std::size_t& first, Blacklisted blacklisted, std::uint32_t node,
                       std::size_t most_swept);
  Chunk* add_chunk(std::size_t total_bytes, std::size_t least_bytes);
  std::uint64_t release_empty_chunks_beyond(std::uint64_t keep_bytes);

  // These deal with large objects (large_objects.cc).
  struct LargePlace {
    std::byte* start = nullptr;  // null: there is no memory, or the budget is spent
    std::size_t bytes = 0;
    bool is_zero = false;
  };
  LargePlace take_blocks(std::size_t bytes, KindNumber kind, LargeAddresses addresses);
  bool take_large(Chunk* chunk, std::size_t first, const BlockInfo& info, KindNumber kind);
  void release_large(Chunk* chunk, std::size_t first);
  bool take_tail(Chunk* chunk, std::size_t first, std::size_t from, std::size_t end);
  bool change_blocks(Chunk* chunk, std::size_t first, std::size_t count);

  // These deal with large objects that share spans (span_objects.cc).
  [[nodiscard]] bool may_share_span(std::size_t bytes, KindNumber kind, LargeAddresses addresses) const;
  LargePlace take_slot(std::uint32_t quarters, KindNumber kind);
  LargePlace take_any_slot(std::uint32_t quarters, KindNumber kind);
  LargePlace take_slot_of(std::byte* span);
  std::byte* take_span(std::uint32_t quarters, KindNumber kind, std::uint32_t node);
  bool has_written_blocks(std::size_t count, std::uint32_t node);
  void free_slot_of_span(Chunk& chunk, std::byte* start);
  void count_freed_slots(Chunk& chunk, std::size_t index);
  void free_slots(Chunk& chunk, std::size_t index, std::uint16_t count);

  template <typename IsWanted, typename Function>
  void for_each_object_of_chunk(Chunk* chunk, IsWanted is_wanted, Function function);
  template <typename IsWanted, typename Function>
  static void for_each_object_of_block(Chunk* chunk, std::size_t block, IsWanted is_wanted,
                                       Function function);

  KindTable kinds_;
  Displacements displacements_;
  Poison poison_;
  HeapUsage usage_;  // written under the lock
  base::WorkTime work_time_;
  std::atomic<bool> have_objects_ended_{false};
  std::atomic<std::uint64_t> sample_every_{0};
  std::atomic<std::uint64_t> sample_seeds_{0};
  Budget budget_;
  base::AdaptiveMutex mutex_;  // guards all members below
  Blocks blocks_;              // except for its map
  PartlyFree partly_free_;
  Spans spans_;
  Sweeper sweeper_;
  bool is_marking_ = false;   // between begin_marking() and end_marking()
  bool has_freed_ = false;    // large objects were freed explicitly since begin_marking()
  std::uint8_t marking_ = 0;  // markings so far; begins again at 1 after 255
  std::uint32_t busy_allocators_ = 1;
  base::PageVector<Allocator*> allocators_;
  // Lists of slots that were explicitly freed through destroyed allocators; unused until the next sweep.
  base::PageVector<std::byte*> abandoned_;
};

template <typename Function>
void Heap::for_each_marked(Function function) {
  for (Chunk* const chunk : blocks_.chunks()) {
    for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
      if (chunk->block(block).use != BlockUse::free) {
        chunk->for_each_object(block, [&](Object* object) {
          if (chunk->is_marked(object)) function(object);
        });
      }
    }
  }
}

template <typename Function>
void Heap::for_each_unmarked(KindNumber kind, Function function) {
  for_each_object_of([kind](KindNumber other) { return other == kind; },
                     [&](Object* object) {
                       if (!Chunk::of(object)->is_marked(object)) function(object);
                     });
}

template <typename Function>
void Heap::for_each_marked_between(std::uintptr_t begin, std::uintptr_t end, Function function) const {
  const BlockShape shape = map().shape_at(begin);
  if (!shape.may_hold_references()) return;
  const auto at = [](std::uintptr_t address) {
    return reinterpret_cast<Object*>(address);  // NOLINT(performance-no-int-to-ptr)
  };
  Object* const first = at(BlockMap::start_of_object_in(shape, begin));
  const Chunk& chunk = *Chunk::of(first);
  if (!shape.holds_slots()) {
    const auto report_marked = [&](Object* object) {
      if (chunk.is_marked(object) && chunk.is_allocated(object)) function(object);
    };
    report_marked(first);
    Object* const last = at(BlockMap::start_of_object_in(shape, end - 1));
    if (last != first) report_marked(last);
    return;
  }
  chunk.for_each_marked_start(first, at(end), function);
}

template <typename IsWanted, typename Function>
void Heap::for_each_object_of(IsWanted is_wanted, Function function) {
  for (Chunk* const chunk : blocks_.chunks()) for_each_object_of_chunk(chunk, is_wanted, function);
}

template <typename IsWanted, typename Function>
void Heap::for_each_object_of_chunk(Chunk* chunk, IsWanted is_wanted, Function function) {
  if (!chunk->may_hold(is_wanted)) return;
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block)
    for_each_object_of_block(chunk, block, is_wanted, function);
}

template <typename IsWanted, typename Function>
void Heap::for_each_object_of_block(Chunk* chunk, std::size_t block, IsWanted is_wanted, Function function) {
  if (chunk->block(block).has_starts() && is_wanted(chunk->kind(block)))
    chunk->for_each_object(block, function);
}

template <typename Function>
bool Heap::for_each_uncollectable_from(Place& place, std::size_t enough, Function function) {
  const std::lock_guard lock(mutex_);
  if (place.chunk >= chunk_count()) return false;
  const auto is_wanted = [&](KindNumber kind) { return !kinds_[kind].is_collectable; };
  Chunk* const chunk = blocks_.chunks()[place.chunk];
  if (chunk->may_hold(is_wanted)) {
    for (std::size_t count = 0; place.block < kBlocksPerChunk; ++place.block) {
      if (count >= enough) return true;
      for_each_object_of_block(chunk, place.block, is_wanted, [&](Object* object) {
        // Acquire: pairs with the release fence in open().
        std::atomic_thread_fence(std::memory_order_acquire);
        ++count;
        function(object);
      });
    }
  }
  place = {.chunk = place.chunk + 1};
  return true;
}

template <typename Function>
void Heap::for_each_uncollectable(Function function) {
  for_each_object_of([&](KindNumber kind) { return !kinds_[kind].is_collectable; }, function);
}

}  // namespace jackdaw::heap
