#include "heap/allocator.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"
#include "base/page_memory.h"
#include "base/stress.h"
#include "heap/first_objects.h"
#include "heap/heap.h"

namespace jackdaw::heap {

namespace {

// The first word of a freed slot links to the next slot of its list, in a form that is no address.
std::uintptr_t hidden(const std::byte* slot) { return ~reinterpret_cast<std::uintptr_t>(slot); }
std::byte* revealed(std::uintptr_t word) {
  return reinterpret_cast<std::byte*>(~word);  // NOLINT(performance-no-int-to-ptr)
}

// A short run soon leads back to the collector.
void shorten(GranuleRange& slots, std::uint32_t slot_bytes) {
  constexpr std::uint64_t kMostSlots = 16;
  const auto granules = static_cast<std::uint32_t>(slot_bytes / kGranuleBytes);
  const auto count = static_cast<std::uint32_t>(1 + base::Stress::below(kMostSlots));
  slots.end = std::min(slots.end, slots.first + count * granules);
}

// Compares the first byte with zero, and each of the others, if any, with the one before it.
bool are_zero(const std::byte* first, const std::byte* end) {
  return *first == std::byte{0} &&
         std::memcmp(first, first + 1, static_cast<std::size_t>(end - first) - 1) == 0;
}

}  // namespace

// It is never written to: in each of its runs the cursor is at the end.
Allocator::RunTable Allocator::no_runs_;

Allocator::Allocator(Heap& heap, FirstObjects* first_objects)
    : heap_(heap),
      first_objects_(first_objects),
      first_objects_left_(first_objects != nullptr ? kFirstObjects : 0),
      sample_points_(heap.next_sample_seed()) {
  own_tables_.fill(&no_runs_);
  tables_ = own_tables_;
  heap_.register_allocator(this);
}

Allocator::~Allocator() {
  heap_.unregister_allocator(this);
  for (RunTable* const table : own_tables_) {
    if (table != &no_runs_) base::PageMemory::release(std::as_writable_bytes(std::span(table, 1)));
  }
}

Object* Allocator::allocate_array(const TypeDescriptor& type, std::uint64_t length) {
  constexpr std::uint64_t kMaximumLength =
      std::numeric_limits<std::size_t>::max() / kWordBytes - Object::kArrayHeaderWords;
  if (length > kMaximumLength) return nullptr;
  Object* const array = allocate(type, (length + Object::kArrayHeaderWords) * kWordBytes);
  if (array != nullptr) array->set_array_length(length);
  return array;
}

// Returns the table of a kind, which is made at first; null when there is no memory.
Allocator::RunTable* Allocator::runs_of(KindNumber kind) {
  RunTable* const table = own_tables_[static_cast<std::size_t>(kind)];
  return table != &no_runs_ ? table : make_runs(kind);
}

[[gnu::noinline]] Allocator::RunTable* Allocator::make_runs(KindNumber kind) {
  const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(RunTable));
  if (memory.empty()) return nullptr;
  return own_tables_[static_cast<std::size_t>(kind)] = new (memory.data()) RunTable;
}

// Returns the run at hand, which the fast half finds from now on, or null when the heap does not let this
// thread allocate, or there is no memory for the table.
Allocator::FreeRun* Allocator::run_if_let_in(std::uint8_t size_class, KindNumber kind) {
  RunTable* const runs = runs_of(kind);
  if (runs == nullptr || heap_.budget_.locks_out()) return nullptr;
  tables_[static_cast<std::size_t>(kind)] = runs;
  return &(*runs)[size_class];
}

Object* Allocator::allocate_from_block(std::size_t bytes, KindNumber kind) {
  if (!has_runs_of(kind)) return nullptr;
  const std::uint8_t size_class = SizeClasses::class_of(bytes);
  FreeRun* const run = run_if_let_in(size_class, kind);
  return run != nullptr ? allocate_from_owned(*run, size_class) : nullptr;
}

Object* Allocator::allocate_from_heap(std::size_t bytes, KindNumber kind) {
  if (first_objects_left_ != 0 && !has_runs_of(kind)) {
    Object* const object = first_objects_->allocate(bytes, kind);
    if (object != nullptr) --first_objects_left_;
    return object;
  }
  const std::uint8_t size_class = SizeClasses::class_of(bytes);
  FreeRun* const run = run_if_let_in(size_class, kind);
  if (run == nullptr) return nullptr;
  for (;;) {
    if (Object* const object = allocate_from_owned(*run, size_class)) return object;
    if (!next_block(*run, size_class, kind)) return nullptr;
  }
}

// Takes the next run if it is short, as most are where a block is partly free.
[[gnu::always_inline]] inline bool Allocator::next_short_run(FreeRun& run, std::uint8_t size_class) {
  constexpr std::uint64_t kMostBytes = 64 * kGranuleBytes;  // of a run that ends in its word
  if (run.runs == BlockRuns::general || run.next_granule >= kGranulesPerBlock || run.begins_with_sample)
    return false;
  const std::uint64_t every = heap_.sample_every();
  if (every != 0 && !sample_points_.has_none_within(kMostBytes, every)) return false;
  Chunk& chunk = *run.block.chunk;
  const GranuleRange slots = chunk.take_short_run(run.block.index, size_class, run.next_granule);
  if (slots.end == 0) return false;
  std::byte* const start = chunk.block_start(run.block.index);
  std::byte* const cursor = start + std::size_t{slots.first} * kGranuleBytes;
  const std::size_t bytes = std::size_t{slots.end - slots.first} * kGranuleBytes;
  if (every != 0) sample_points_.pass(SizeClasses::slot_bytes(size_class), bytes, every);
  // Release: as in next_run_in_block.
  std::atomic_thread_fence(std::memory_order_release);
  if (run.runs == BlockRuns::cleared) std::memset(cursor, 0, bytes);
  run.next_granule = slots.end;
  run.cursor = cursor;
  run.end = start + std::size_t{slots.end} * kGranuleBytes;
  return true;
}

// Allocates from the run at hand, which may not be used up where the allocator was locked out, from an
// explicitly freed slot, or from the next run in the block at hand.
[[gnu::always_inline]] inline Object* Allocator::allocate_from_owned(FreeRun& run, std::uint8_t size_class) {
  if (run.cursor == run.end) {
    if (run.freed == nullptr) return allocate_from_next_run(run, size_class);
    take_freed(run, SizeClasses::slot_bytes(size_class));
  }
  return take_slot(run, size_class);
}

[[gnu::noinline]] Object* Allocator::allocate_from_next_run(FreeRun& run, std::uint8_t size_class) {
  if (run.block.chunk == nullptr) return nullptr;
  return next_short_run(run, size_class) || next_run_in_block(run) ? take_slot(run, size_class) : nullptr;
}

std::uint32_t Allocator::FreeRun::blocks_wanted() const {
  if (blocks_taken < blocks_expected)
    return std::clamp((blocks_expected - blocks_taken) / 2, 1U, kMostWanted);
  return std::min(blocks_taken - blocks_expected + 1, kMostWantedAtFirst);
}

// Takes the first spare, or a block of the heap. The slots of the present block are used up.
bool Allocator::next_block(FreeRun& run, std::uint8_t size_class, KindNumber kind) {
  std::byte* const spares = run.block.spares;
  run.reset();
  if (spares != nullptr) {
    run.block = heap_.take_spare(spares);
  } else {
    run.block = heap_.own_block(size_class, kind, run.blocks_wanted() - 1);
  }
  if (run.block.chunk != nullptr) {
    JACKDAW_CHECK(run.block.chunk->block(run.block.index).use == BlockUse::small);
    JACKDAW_CHECK(run.block.chunk->block(run.block.index).size_class == size_class);
    JACKDAW_CHECK(run.block.chunk->kind(run.block.index) == kind);
    if (run.block.chunk->block(run.block.index).live_slots != 0) run.runs = runs_of_partly_free(kind);
    ++run.blocks_taken;
    ++blocks_taken_;
  }
  if (run.block.is_zero)
    run.block.chunk->populate(run.block.chunk->block_start(run.block.index), kBlockBytes);
  return run.block.chunk != nullptr;
}

// How the runs of partly free blocks of a kind are taken.
Allocator::BlockRuns Allocator::runs_of_partly_free(KindNumber number) const {
  const Kind& kind = heap_.kinds_[number];
  if (kind.contents == Contents::references || heap_.sweeper_.are_freed_by_others(number) ||
      base::Stress::is_on())
    return BlockRuns::general;
  return kind.is_cleared ? BlockRuns::cleared : BlockRuns::as_they_are;
}

// Takes the last freed slot, and those that were freed before it as long as they adjoin and lie in the block
// at hand: its slots alone stay this allocator's when a collection comes. Each slot may be a sample, so that
// it is taken alone while there are samples.
[[gnu::always_inline]] inline void Allocator::take_freed(FreeRun& run, std::size_t slot_bytes) {
  JACKDAW_CHECK(Heap::bytes_of(reinterpret_cast<const Object*>(run.freed)) == slot_bytes);
  run.cursor = run.pop_freed();
  run.end = run.cursor + slot_bytes;
  if (heap_.sample_every() != 0) [[unlikely]]
    return note_if_sample(run.cursor, slot_bytes);
  if (run.freed != nullptr && is_in_block(run, run.cursor)) take_adjoining(run, slot_bytes);
}

[[gnu::noinline]] void Allocator::take_adjoining(FreeRun& run, std::size_t slot_bytes) {
  if (has_types(run)) return;
  for (std::byte* slot = run.freed; slot != nullptr && is_in_block(run, slot); slot = run.freed) {
    if (slot == run.end) {
      run.end += slot_bytes;
    } else if (slot + slot_bytes == run.cursor) {
      run.cursor = slot;
    } else {
      return;
    }
    run.pop_freed();
  }
}

bool Allocator::is_in_block(const FreeRun& run, const std::byte* slot) {
  const Chunk* const chunk = run.block.chunk;
  return chunk == Chunk::of(slot) && chunk->block_index(slot) == run.block.index;
}

// Whether the free slots of the block at hand have a type, the unused one.
bool Allocator::has_types(const FreeRun& run) {
  const Chunk& chunk = *run.block.chunk;
  return chunk.kind_table()[chunk.kind(run.block.index)].contents == Contents::references;
}

void Allocator::FreeRun::push_freed(std::byte* slot) {
  set_next_freed(slot, freed);
  freed = slot;
  ++freed_slots;
}

std::byte* Allocator::FreeRun::pop_freed() {
  std::byte* const slot = std::exchange(freed, next_freed(freed));
  std::memset(slot, 0, sizeof(std::uintptr_t));
  --freed_slots;
  return slot;
}

Object* Allocator::allocate_large(std::size_t bytes, KindNumber kind, LargeAddresses addresses) {
  Object* const object = heap_.allocate_large(bytes, kind, addresses);
  if (object != nullptr) note_if_sample(object, bytes);
  return object;
}

void Allocator::note_if_sample(const void* object, std::size_t bytes) {
  const std::uint64_t every = heap_.sample_every();
  if (every != 0 && sample_points_.pass(bytes, bytes, every) == 0) sample_ = object;
}

// Ends the run before the next sample, which is then the first slot of its next run: a sample that was left
// to whichever run is wanted next would seldom be an object of runs that last long. The slow path that asks
// for the run allocates its first slot.
void Allocator::end_at_sample(FreeRun& run, GranuleRange& slots, std::uint32_t slot_bytes,
                              const std::byte* start) {
  const std::uint64_t every = heap_.sample_every();
  const bool is_first = std::exchange(run.begins_with_sample, false);
  if (every == 0) [[likely]]
    return;
  const std::uint64_t all = std::uint64_t{slots.end - slots.first} * kGranuleBytes;
  if (!is_first && sample_points_.pass_all(all, every)) return;
  std::uint64_t passed = is_first ? 0 : sample_points_.pass(slot_bytes, all, every);
  if (passed == 0) {
    sample_ = start + std::size_t{slots.first} * kGranuleBytes;
    passed = slot_bytes + sample_points_.pass(slot_bytes, all - slot_bytes, every);
  }
  run.begins_with_sample = passed != all;
  slots.end = slots.first + static_cast<std::uint32_t>(passed / kGranuleBytes);
}

// Whether freed slots may wait. None may between the withdrawal of free slots and the sweep.
bool Allocator::may_keep_freed() const { return !is_withdrawn_ && !heap_.poison().is_on(); }

// Returns the run in whose list a freed slot may wait; null when there is none, or no table yet. Slots of
// uncollectable kinds are roots until they are withdrawn: a procedure of the program shall visit none. Their
// list alone is no reason to make a table.
Allocator::FreeRun* Allocator::run_for_freed(KindNumber number, const Kind& kind, std::uint8_t size_class) {
  if (!may_keep_freed() || !has_runs_of(number)) return nullptr;
  FreeRun& run = (*own_tables_[static_cast<std::size_t>(number)])[size_class];
  if (kind.is_collectable) return &run;
  return kind.contents != Contents::by_kind && run.freed_slots < kMostKept ? &run : nullptr;
}

// Whether a freed slot can be the first of the run at hand: it lies in that block, and adjoins the run, or
// the run is used up.
bool Allocator::starts_run(const FreeRun& run, const std::byte* slot, std::size_t bytes) {
  return (slot + bytes == run.cursor || run.cursor == run.end) && is_in_block(run, slot);
}

Freed Allocator::free(Object* object) {
  Chunk& chunk = *Chunk::of(object);
  auto* const slot = reinterpret_cast<std::byte*>(object);
  const std::size_t index = chunk.block_index(slot);
  const BlockInfo& info = chunk.block(index);
  JACKDAW_CHECK(chunk.is_allocated(object));
  const KindNumber number = chunk.kind(index);
  const Kind& kind = heap_.kinds_[number];
  FreeRun* const run = info.use == BlockUse::small ? run_for_freed(number, kind, info.size_class) : nullptr;
  if (run == nullptr) [[unlikely]]
    return free_slowly(object, info, number);
  const std::size_t bytes = info.slot_bytes;
  // Samples are drawn where a slot is taken from the list. Drawn here, they would favour some sizes.
  if (starts_run(*run, slot, bytes) && kind.contents != Contents::references && heap_.sample_every() == 0) {
    heap_.note_object_ended();  // the end of a run frees its slots without a list
    if (slot + bytes != run->cursor) run->end = slot + bytes;
    run->cursor = slot;
    std::memset(slot, 0, kWordBytes);
  } else {
    run->push_freed(slot);
  }
  if (kind.is_cleared) std::memset(slot + kWordBytes, 0, bytes - kWordBytes);
  return {bytes, kind.is_collectable};
}

// Frees a large object, or a slot that can wait in no run that there is yet.
[[gnu::noinline]] Freed Allocator::free_slowly(Object* object, const BlockInfo& info, KindNumber number) {
  // They are read before the object is free, as a sweep on another thread may then release its block.
  const std::size_t bytes = info.use == BlockUse::small ? info.slot_bytes : info.large_bytes;
  const bool is_collectable = heap_.kinds_[number].is_collectable;
  if (info.use != BlockUse::small) {
    heap_.free_large(object);
  } else if (is_collectable && !has_runs_of(number) && may_keep_freed() && make_runs(number) != nullptr) {
    return free(object);
  } else {
    heap_.free_slot(object, bytes);
  }
  return {bytes, is_collectable};
}

template <typename Function>
void Allocator::for_each_run(Function function) {
  for (RunTable* const table : own_tables_) {
    if (table == &no_runs_) continue;
    for (FreeRun& run : *table) function(run);
  }
}

void Allocator::give_up_blocks() {
  is_withdrawn_ = false;
  give_up_spares();
  for_each_run([this](FreeRun& run) {
    JACKDAW_CHECK(run.cursor <= run.end);
    if (run.cursor != run.end) {
      if (heap_.poison().is_on()) heap_.poison().give_up(run.cursor, run.end);
      Chunk::set_free(run.cursor, run.end);
    }
    if (run.freed != nullptr) {
      const Chunk& chunk = *Chunk::of(run.freed);
      if (chunk.kind_table()[chunk.kind_of(run.freed)].is_collectable) {
        heap_.abandon(run.freed);
      } else {
        heap_.note_object_ended();
        withdraw_freed(run.freed);
      }
    }
    run.reset();
  });
}

void Allocator::withdraw(FreeRun& run) {
  if (run.cursor != run.end) Chunk::set_free(run.cursor, run.end);
  if (run.freed != nullptr) heap_.note_object_ended();
  withdraw_freed(std::exchange(run.freed, nullptr));
  run.freed_slots = 0;
}

void Allocator::withdraw_freed(std::byte* freed) {
  for (; freed != nullptr; freed = next_freed(freed))
    Chunk::set_free(freed, freed + Heap::bytes_of(reinterpret_cast<const Object*>(freed)));
}

std::byte* Allocator::next_freed(const std::byte* freed) {
  std::uintptr_t next = 0;
  std::memcpy(&next, freed, sizeof next);
  return revealed(next);
}

void Allocator::set_next_freed(std::byte* freed, const std::byte* next) {
  const std::uintptr_t word = hidden(next);
  std::memcpy(freed, &word, sizeof word);
}

// Spares are given up because a thread that stops allocating would keep them for ever.
void Allocator::give_up_spares() {
  for_each_run([](FreeRun& run) {
    run.block.spares = nullptr;
    run.blocks_expected = std::exchange(run.blocks_taken, 0);
  });
}

// Explicitly freed slots are unmarked, so the sweep frees them, and their lists end here.
void Allocator::sweep_blocks() {
  is_withdrawn_ = false;
  for_each_run([this](FreeRun& run) {
    run.freed = nullptr;
    run.freed_slots = 0;
    if (run.block.chunk != nullptr) {
      if (heap_.poison().is_on())
        heap_.poison().sweep_block(*run.block.chunk, run.block.index, run.cursor, run.end);
      heap_.sweeper_.sweep_owned(run.block.chunk, run.block.index);
    }
    if (run.cursor != run.end) Chunk::set_allocated(run.cursor, run.end);
  });
}

bool Allocator::next_run_in_block(FreeRun& run) {
  Chunk& chunk = *run.block.chunk;
  const std::size_t block = run.block.index;
  GranuleRange slots = chunk.find_free_slots(block, run.next_granule);
  if (slots.first == slots.end) return false;
  if (base::Stress::is_on()) [[unlikely]]
    shorten(slots, chunk.block(block).slot_bytes);
  std::byte* const start = chunk.block_start(block);
  end_at_sample(run, slots, chunk.block(block).slot_bytes, start);
  std::byte* const cursor = start + std::size_t{slots.first} * kGranuleBytes;
  std::byte* const end = start + std::size_t{slots.end} * kGranuleBytes;
  const Kind& kind = chunk.kind_table()[chunk.kind(block)];
  JACKDAW_CHECK(static_cast<std::size_t>(end - cursor) % chunk.block(block).slot_bytes == 0);
  JACKDAW_CHECK(!run.block.is_zero || are_zero(cursor, end));
  // This precedes any write to the slots: other threads may have freed them.
  chunk.set_allocated(block, slots, heap_.sweeper_.are_freed_by_others(chunk.kind(block)));
  if (heap_.poison().is_on()) heap_.poison().hand_out(chunk, block, cursor, end);
  // Release: pairs with the system's making of a page read-only, after which marks are cleared: a marker that
  // finds the page unwritten sees these bits. For systems that do so without interrupts this is reasoned,
  // and not checked.
  std::atomic_thread_fence(std::memory_order_release);
  if (kind.is_cleared && !run.block.is_zero) std::memset(cursor, 0, static_cast<std::size_t>(end - cursor));
  if (kind.contents == Contents::references) {
    for (std::byte* slot = cursor; slot < end; slot += chunk.block(block).slot_bytes)
      reinterpret_cast<Object*>(slot)->set_type(TypeDescriptor::unused());
  }
  run.next_granule = slots.end;
  run.cursor = cursor;
  run.end = end;
  return true;
}

}  // namespace jackdaw::heap
