// Allocator: one thread's way to allocate objects, without a lock for small ones.
//
// For each kind and size class it holds a block of its own and a run of free slots in it, [cursor, end). An
// allocation moves the cursor. At the end of a run the next one is found in the block's allocation bits; at
// the end of the block the heap gives another. Explicitly freed slots that adjoin are a run, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/export.h"
#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/object.h"
#include "heap/sample_points.h"
#include "heap/size_classes.h"
#include "heap/small_block.h"
#include "heap/type_descriptor.h"

namespace jackdaw::heap {

class FirstObjects;
class Heap;

/// An object that was freed.
struct Freed {
  std::size_t bytes;
  bool was_collectable;  ///< Kind::is_collectable
};

/// Used by one thread at a time. The heap must outlive it.
class Allocator {
 public:
  /// A thread that allocates more is likely to allocate many, for which a table and blocks are worth it.
  static constexpr std::uint32_t kFirstObjects = 64;

  /// The first kFirstObjects objects are left to `first_objects`; null: none are. Throws std::bad_alloc.
  explicit Allocator(Heap& heap, FirstObjects* first_objects = nullptr);
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// A cleared object of `bytes` bytes, header included and at least a word, or null when there is no memory.
  /// O(1) but for the clearing and, now and then, the search for free slots.
  Object* allocate(const TypeDescriptor& type, std::size_t bytes) {
    Object* const object =
        allocate_plain(bytes, type.holds_references() ? KindNumber::references : KindNumber::data);
    if (object != nullptr) object->set_type(type);
    return object;
  }

  /// Memory of `bytes` bytes, at least one, for an object without a descriptor, cleared as its kind says, or
  /// null when there is no memory. It takes as long as allocate().
  Object* allocate_plain(std::size_t bytes, KindNumber kind) {
    if (bytes > kLargestSmallBytes) return allocate_large(bytes, kind);
    Object* const object = allocate_from_run(bytes, kind);
    return object != nullptr ? object : allocate_from_heap(bytes, kind);
  }

  /// A cleared object of a type whose objects have one size.
  Object* allocate(const TypeDescriptor& type) { return allocate(type, type.object_bytes()); }

  /// The fast half of allocate_plain, for at most kLargestSmallBytes: null when the run at hand is used up. A
  /// collection that leaves owned blocks may come at any of its instructions. O(1).
  Object* allocate_from_run(std::size_t bytes, KindNumber kind) {
    const std::uint8_t size_class = SizeClasses::class_of(bytes);
    FreeRun& run = (*tables_[static_cast<std::size_t>(kind)])[size_class];
    std::byte* const slot = run.cursor;
    if (slot == run.end) [[unlikely]]
      return nullptr;
    JACKDAW_CHECK(slot < run.end && (is_withdrawn_ || Chunk::of(slot)->is_allocated(slot)));
    JACKDAW_CHECK(Chunk::of(slot)->kind_of(slot) == kind);
    return take_slot(run, size_class);
  }

  /// Takes all that is left of the run at hand, as allocate_from_run() takes one slot after the other. O(1).
  std::span<std::byte> take_run(std::size_t bytes, KindNumber kind) {
    FreeRun& run = (*tables_[static_cast<std::size_t>(kind)])[SizeClasses::class_of(bytes)];
    if (run.cursor == run.end) return {};
    return {std::exchange(run.cursor, run.end), run.end};
  }

  /// Goes on to the next run that needs no other block, an explicitly freed slot or else one in the block at
  /// hand, and allocates from it; null when there is none. No collection may come meanwhile. O(slots of a
  /// block).
  Object* allocate_from_block(std::size_t bytes, KindNumber kind);
  /// As allocate_from_block, but then has the heap give other blocks.
  JACKDAW_EXPORT Object* allocate_from_heap(std::size_t bytes, KindNumber kind);

  /// Allocates more than kLargestSmallBytes; see Heap::allocate_large.
  JACKDAW_EXPORT Object* allocate_large(std::size_t bytes, KindNumber kind,
                                        LargeAddresses addresses = LargeAddresses::all);

  /// An array of `length` null references, or null when there is no memory.
  Object* allocate_array(const TypeDescriptor& type, std::uint64_t length);

  /// Whether `object` is the last sample (Heap::set_sample_every) among the objects allocated other than from
  /// the run at hand. The thread asks after each such allocation, also where that gave null.
  bool take_sample(const void* object) {
    return object != nullptr && object == sample_ && std::exchange(sample_, nullptr) != nullptr;
  }

  /// Frees an object of any allocator of the heap now; nothing may use it any more. This allocator gives its
  /// slot out again soon, but for poisoned heaps, and few of uncollectable kinds. O(1) but for the clearing.
  Freed free(Object* object);

 private:
  friend class Heap;
  // The runs of a block are taken in one of these ways.
  enum class BlockRuns : std::uint8_t {
    general,      // as next_run_in_block does
    cleared,      // the block was partly free, and its runs need only to be cleared
    as_they_are,  // the block was partly free, and its runs need nothing
  };
  struct FreeRun {
    std::byte* cursor = nullptr;
    std::byte* end = nullptr;
    std::byte* freed = nullptr;  // explicitly freed slots, a list through their first words
    SmallBlock block;
    std::uint32_t next_granule = 0;     // where the search for the next run goes on
    std::uint32_t blocks_expected = 0;  // how many were taken between the last two sweeps
    std::uint32_t blocks_taken = 0;     // since the last sweep
    std::uint16_t freed_slots = 0;      // in `freed`, modulo 65,536
    bool begins_with_sample = false;    // the next run in the block
    BlockRuns runs = BlockRuns::general;

    // Leaves the run without a block and without slots.
    void reset() { *this = FreeRun(blocks_expected, blocks_taken); }
    void push_freed(std::byte* slot);
    // Takes the last freed slot, and clears its link.
    std::byte* pop_freed();
    // Returns how many blocks the heap is asked for next.
    [[nodiscard]] std::uint32_t blocks_wanted() const;

    FreeRun() = default;

   private:
    FreeRun(std::uint32_t expected, std::uint32_t taken) : blocks_expected(expected), blocks_taken(taken) {}
  };
  // A kind's runs, by size class.
  using RunTable = std::array<FreeRun, SizeClasses::kCount>;

  [[nodiscard]] bool has_runs_of(KindNumber kind) const {
    return own_tables_[static_cast<std::size_t>(kind)] != &no_runs_;
  }
  RunTable* runs_of(KindNumber kind);
  RunTable* make_runs(KindNumber kind);
  // Has the fast half find no runs, while the thread is stopped, until the heap lets allocators in.
  void lock_out() { tables_.fill(&no_runs_); }
  FreeRun* run_if_let_in(std::uint8_t size_class, KindNumber kind);
  // Takes the first slot of the run at hand.
  static Object* take_slot(FreeRun& run, std::uint8_t size_class) {
    std::byte* const slot = run.cursor;
    run.cursor = slot + SizeClasses::slot_bytes(size_class);
    JACKDAW_CHECK(run.cursor <= run.end);
    return reinterpret_cast<Object*>(slot);
  }
  bool next_block(FreeRun& run, std::uint8_t size_class, KindNumber kind);
  Object* allocate_from_owned(FreeRun& run, std::uint8_t size_class);
  Object* allocate_from_next_run(FreeRun& run, std::uint8_t size_class);
  bool next_run_in_block(FreeRun& run);
  bool next_short_run(FreeRun& run, std::uint8_t size_class);
  [[nodiscard]] BlockRuns runs_of_partly_free(KindNumber number) const;
  void end_at_sample(FreeRun& run, GranuleRange& slots, std::uint32_t slot_bytes, const std::byte* start);
  void note_if_sample(const void* object, std::size_t bytes);
  void take_freed(FreeRun& run, std::size_t slot_bytes);
  static void take_adjoining(FreeRun& run, std::size_t slot_bytes);
  Freed free_slowly(Object* object, const BlockInfo& info, KindNumber number);
  [[nodiscard]] bool may_keep_freed() const;
  FreeRun* run_for_freed(KindNumber number, const Kind& kind, std::uint8_t size_class);
  static bool is_in_block(const FreeRun& run, const std::byte* slot);
  static bool starts_run(const FreeRun& run, const std::byte* slot, std::size_t bytes);
  static bool has_types(const FreeRun& run);
  template <typename Function>
  void for_each_run(Function function);
  // Gives the blocks of all runs back to the heap. Under the heap's lock, or while no thread allocates.
  void give_up_blocks();
  // Gives spares back to the heap. As give_up_blocks, but not in the midst of allocate_from_heap.
  void give_up_spares();
  // From now on the slots of the runs at hand hold no objects, until sweep_blocks, nor do explicitly freed
  // ones, whose lists end.
  void withdraw_free_slots() {
    withdraw_free_slots_of([](KindNumber /*kind*/) { return true; });
  }
  // Does so for kinds for which `is_wanted(KindNumber)` is true.
  template <typename IsWanted>
  void withdraw_free_slots_of(IsWanted is_wanted) {
    is_withdrawn_ = true;
    for (std::size_t kind = 0; kind < own_tables_.size(); ++kind) {
      if (own_tables_[kind] == &no_runs_ || !is_wanted(static_cast<KindNumber>(kind))) continue;
      for (FreeRun& run : *own_tables_[kind]) withdraw(run);
    }
  }
  void withdraw(FreeRun& run);
  static void withdraw_freed(std::byte* freed);
  // Explicitly freed slots are a list through their first words.
  static std::byte* next_freed(const std::byte* freed);
  static void set_next_freed(std::byte* freed, const std::byte* next);
  // Sweeps the blocks of all runs, which the allocator keeps. The runs at hand stay allocated, though their
  // slots are not marked. Under the heap's lock, while no thread allocates.
  void sweep_blocks();

  // A run asks for half of the blocks that it is still expected to take before the next sweep, up to a bound,
  // so that threads seldom wait for the heap's lock and few spares are left when that sweep comes. Beyond
  // what is expected it asks for one block, then for twice as many as before, up to a lower bound.
  static constexpr std::uint32_t kMostWantedAtFirst = 16;
  static constexpr std::uint32_t kMostWanted = 64;

  // Freed slots of an uncollectable kind that wait for each run: a pause withdraws them, as they would be
  // roots.
  static constexpr std::uint16_t kMostKept = 256;

  // The table of a kind of which no object was allocated yet: its runs are used up, so that the fast half
  // need not look whether there is a table.
  static RunTable no_runs_;

  Heap& heap_;
  std::array<RunTable*, KindTable::kMaximumKinds> tables_;  // own_tables_, or no runs at all
  std::array<RunTable*, KindTable::kMaximumKinds> own_tables_;
  std::size_t blocks_taken_ = 0;  // since the last sweep
  bool is_withdrawn_ = false;     // free slots at hand may hold no objects, until the sweep
  FirstObjects* const first_objects_;
  std::uint32_t first_objects_left_;
  SamplePoints sample_points_;
  const void* sample_ = nullptr;  // until the thread asks about it, or another one comes
};

}  // namespace jackdaw::heap
