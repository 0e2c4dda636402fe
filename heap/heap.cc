#include "heap/heap.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/check.h"
#include "heap/allocator.h"
#include "heap/layout.h"
#include "heap/size_classes.h"

namespace jackdaw::heap {

namespace {

// Spares are given out only if this many blocks are free in the chunk and within the limit.
constexpr std::size_t kManyBlocks = 64;

// Pages of this many blocks are released in one hold of the lock.
constexpr std::size_t kBlocksAtOnce = 64;

}  // namespace

constinit thread_local bool BeyondBudget::is_in_force_ = false;

Heap::Heap(std::size_t limit_bytes, const MemoryNodes& nodes)
    : blocks_(limit_bytes, nodes, kinds_, poison_, usage_),
      partly_free_(nodes.count()),
      spans_(nodes.count()),
      sweeper_(blocks_, partly_free_, spans_, kinds_, poison_) {}

Heap::~Heap() { JACKDAW_CHECK(allocators_.empty()); }

void Heap::register_allocator(Allocator* allocator) {
  const std::lock_guard lock(mutex_);
  if (!abandoned_.reserve(1) || !allocators_.append(allocator)) throw std::bad_alloc();
}

// Keeps a list of explicitly freed slots until the next sweep; where there is no room for it, it is joined to
// another list.
void Heap::abandon(std::byte* freed) {
  if (abandoned_.append(freed)) return;
  std::byte* last = freed;
  while (std::byte* const next = Allocator::next_freed(last)) last = next;
  Allocator::set_next_freed(last, abandoned_[0]);
  abandoned_[0] = freed;
}

void Heap::unregister_allocator(Allocator* allocator) {
  const std::lock_guard lock(mutex_);
  allocator->give_up_blocks();
  allocators_.remove_if([allocator](const Allocator* other) { return other == allocator; });
}

void Heap::lock_out(Allocator& allocator) { allocator.lock_out(); }

void Heap::take_back_blocks(Allocator& allocator) {
  const std::lock_guard lock(mutex_);
  allocator.give_up_blocks();
}

// Sweeps the next chunk, if there is one, for a thread that needs memory.
void Heap::sweep_to_allocate() {
  if (!sweeper_.is_sweeping()) return;
  const base::WorkTime::Span span(work_time_);
  sweeper_.sweep_next_chunk();
}

// Opens a wholly free block after the lock is released, since many threads wait for the lock. Allocation bits
// of blocks that are not open are read in a pause, with the lock to mark while the program runs, and without
// either by GC_print_free_list(), whose figures may be off, and by walks, which also ask for marks.
SmallBlock Heap::own_block(std::uint8_t size_class, KindNumber kind, std::uint32_t spares) {
  SmallBlock block;
  bool are_bits_read = false;
  {
    const std::lock_guard lock(mutex_);
    std::byte*& partly_free = partly_free_.list(size_class, kind, nodes().near_this_thread());
    if (partly_free == nullptr) sweep_to_allocate();
    if (partly_free != nullptr) return own_partly_free(partly_free);
    block = own_free_with_spares(size_class, kind, spares);
    if (block.chunk == nullptr) return own_partly_free_anywhere(size_class, kind);
    are_bits_read = is_marking_;
    if (are_bits_read) forget_slots(block);
  }
  if (!are_bits_read) forget_slots(block);
  open(block);
  return block;
}

// Clears the allocation bits of a block that was taken, and of the spares with it.
void Heap::forget_slots(const SmallBlock& block) {
  block.chunk->forget_slots(block.index);
  for (std::byte* spare = block.spares; spare != nullptr;) {
    Chunk* const chunk = Chunk::of(spare);
    const std::size_t index = chunk->block_index(spare);
    chunk->forget_slots(index);
    spare = chunk->block(index).next;
  }
}

// Takes no spares during a sweep, since the search for each would sweep further chunks under the lock.
SmallBlock Heap::own_free_with_spares(std::uint8_t size_class, KindNumber kind, std::uint32_t spares) {
  const BlockSearch::Taker taker = BlockSearch::of_this_processor();
  SmallBlock block = own_free(size_class, kind, taker);
  std::byte** end_of_spares = &block.spares;
  const auto are_many = [&] {
    return !sweeper_.is_sweeping() && block.chunk->free_blocks() >= kManyBlocks &&
           blocks_.within_limit(kManyBlocks);
  };
  for (; spares > 0 && block.chunk != nullptr && are_many(); --spares) {
    const SmallBlock spare = own_free(size_class, kind, taker);
    if (spare.chunk == nullptr) break;
    *end_of_spares = spare.chunk->block_start(spare.index);
    end_of_spares = &spare.chunk->block(spare.index).next;
  }
  return block;
}

void Heap::open(const SmallBlock& block) {
  const Contents contents = block.chunk->contents(block.index);
  blocks_.open(block.chunk, block.index,
               BlockShape::of_slots(block.chunk->block(block.index).slot_bytes, contents));
  // Release: pairs with the acquire fence in for_each_uncollectable_from(), which reads the allocation bits
  // that the block's owner sets later. The marks are set for a thread that finds an object by its bit.
  std::atomic_thread_fence(std::memory_order_release);
}

SmallBlock Heap::take_spare(std::byte* spares) {
  Chunk* const chunk = Chunk::of(spares);
  const std::size_t index = chunk->block_index(spares);
  const BlockInfo& info = chunk->block(index);
  JACKDAW_CHECK(info.use == BlockUse::small);
  const SmallBlock block{chunk, static_cast<std::uint32_t>(index), info.was_zero, info.next};
  open(block);
  return block;
}

// Takes the first block of the list, or returns none when the budget is spent.
SmallBlock Heap::own_partly_free(std::byte*& list) {
  Chunk* const chunk = Chunk::of(list);
  const std::size_t index = chunk->block_index(list);
  BlockInfo& info = chunk->block(index);
  JACKDAW_CHECK(info.use == BlockUse::small && info.live_slots < info.slots());
  if (!budget_.allows(info.free_bytes())) return {};
  PartlyFree::take_first(list);
  info.marking = present_marking();
  count_allocated(info.free_bytes());
  return {chunk, static_cast<std::uint32_t>(index)};
}

// Takes a block of the first nonempty list of any node, or returns none when the budget is spent.
SmallBlock Heap::own_partly_free_anywhere(std::uint8_t size_class, KindNumber kind) {
  for (std::uint32_t node = 0; node < partly_free_.nodes(); ++node) {
    std::byte*& list = partly_free_.list(size_class, kind, node);
    if (list != nullptr) return own_partly_free(list);
  }
  return {};
}

// Takes a wholly free block, which is to be opened; returns none when memory or the budget is spent.
SmallBlock Heap::own_free(std::uint8_t size_class, KindNumber kind, BlockSearch::Taker taker) {
  if (!budget_.allows(kBlockBytes) || !blocks_.within_limit(1)) return {};
  std::size_t index = 0;
  // During a sweep only chunks that it has come to are searched.
  Chunk* chunk =
      busy_allocators_ > 1 ? blocks_.find_taken_before(taker, sweeper_.swept_chunks(), index) : nullptr;
  if (chunk == nullptr) chunk = chunk_with_free_blocks(1, index, Blacklisted::accepted);
  if (chunk == nullptr || !blocks_.make_room_for(chunk->count_zero(index, 1), budget_)) return {};
  BlockInfo info;
  info.use = BlockUse::small;
  info.marking = present_marking();
  info.swept = sweeper_.number();
  info.size_class = size_class;
  info.slot_bytes = SizeClasses::slot_bytes(size_class);
  const bool is_zero = blocks_.take(chunk, index, info, kind);
  chunk->block(index).was_zero = is_zero;
  chunk->set_taker(index, taker);
  count_allocated(kBlockBytes);
  return {chunk, static_cast<std::uint32_t>(index), is_zero};
}

void Heap::free_slot(Object* object, std::size_t bytes) {
  note_object_ended();
  if (poison_.is_on()) poison_.free(object);
  auto* const slot = reinterpret_cast<std::byte*>(object);
  Chunk::set_free(slot, slot + bytes);
}

std::size_t Heap::bytes_of(const Object* object) {
  const Chunk& chunk = *Chunk::of(object);
  const BlockInfo& info = chunk.block(chunk.block_index(reinterpret_cast<const std::byte*>(object)));
  return info.use == BlockUse::small ? info.slot_bytes : info.large_bytes;
}

Object* Heap::object_at(const void* address) const {
  const std::uintptr_t start = map().start_of_object_at(reinterpret_cast<std::uintptr_t>(address));
  if (start == 0) return nullptr;
  auto* const object = reinterpret_cast<Object*>(start);  // NOLINT(performance-no-int-to-ptr)
  Chunk* const chunk = Chunk::of(object);
  if (!chunk->is_allocated(object)) return nullptr;
  const std::size_t block = chunk->block_index(reinterpret_cast<const std::byte*>(object));
  const BlockInfo& info = chunk->block(block);
  if (info.use == BlockUse::large_head &&
      static_cast<const std::byte*>(address) >= reinterpret_cast<const std::byte*>(object) + info.large_bytes)
    return nullptr;
  if (sweeper_.is_unswept(*chunk, block) && !chunk->is_marked(object)) return nullptr;
  // A block that the sweep has released meanwhile keeps its allocation bits, but not its entry in the map.
  if (map().start_of_object_at(reinterpret_cast<std::uintptr_t>(address)) != start) return nullptr;
  if (chunk->contents_of(object) != Contents::references) return object;
  // A slot that an allocator holds has no type yet. is_allocated() is asked once more, because a chunk that
  // was released meanwhile reads as zero: its contents seem to be references, but nothing is allocated.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool is_used = chunk->is_allocated(object) && object->type() != &TypeDescriptor::unused();
  return is_used ? object : nullptr;
}

void Heap::clear_marks() {
  start_clearing_marks();
  for (std::size_t chunk = 0; chunk < chunk_count(); ++chunk) clear_marks_of_chunk(chunk);
}

void Heap::start_clearing_marks() { blocks_.map().start_round(); }

void Heap::clear_marks_of_chunk(std::size_t index) {
  JACKDAW_CHECK(index < chunk_count());
  Chunk& chunk = *blocks_.chunks()[index];
  chunk.forget_blacklisted();
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
    if (chunk.block(block).use != BlockUse::free) chunk.clear_marks(block);
  }
}

void Heap::withdraw_uncollectable_slots() {
  const std::lock_guard lock(mutex_);
  for (Allocator* const allocator : allocators_) {
    allocator->withdraw_free_slots_of([this](KindNumber kind) { return !kinds_[kind].is_collectable; });
  }
}

void Heap::withdraw_free_slots() {
  const std::lock_guard lock(mutex_);
  note_object_ended();
  for (Allocator* const allocator : allocators_) allocator->withdraw_free_slots();
  for (std::byte* const freed : abandoned_.span()) Allocator::withdraw_freed(freed);
  abandoned_.clear();
}

void Heap::begin_marking() {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(!is_marking_ && !sweeper_.is_sweeping());
  is_marking_ = true;
  marking_ = static_cast<std::uint8_t>(marking_ % std::numeric_limits<std::uint8_t>::max() + 1);
}

void Heap::lock_out_allocators() {
  const std::lock_guard lock(mutex_);
  budget_.lock_out();
  for (Allocator* const allocator : allocators_) allocator->lock_out();
}

bool Heap::clear_marks_while_allocating(std::size_t index) {
  const std::lock_guard lock(mutex_);
  // No chunk goes away during a marking, and new ones hold marked objects only.
  if (index >= chunk_count()) return false;
  if (index == 0) start_clearing_marks();
  clear_marks_of_chunk(index);
  return true;
}

SweepResult Heap::sweep(OwnedBlocks owned) {
  start_sweep(owned);
  finish_sweep();
  return swept();
}

void Heap::start_sweep(OwnedBlocks owned) {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(!is_marking_);
  sweeper_.begin();
  BusyAllocators busy;
  for (Allocator* const allocator : allocators_) {
    busy.add(std::exchange(allocator->blocks_taken_, 0));
    if (owned == OwnedBlocks::taken_back) {
      allocator->give_up_blocks();
    } else {
      allocator->give_up_spares();
      allocator->sweep_blocks();
    }
  }
  busy_allocators_ = busy.count().value_or(busy_allocators_);
  abandoned_.clear();
  budget_.start_count();
}

// No chunk is released while objects are marked or swept.
std::uint64_t Heap::release_empty_chunks_beyond(std::uint64_t keep_bytes) {
  if (is_marking_ || sweeper_.is_sweeping()) return 0;
  return blocks_.release_empty_chunks(std::max<std::uint64_t>(blocks_.kept_bytes(), keep_bytes));
}

// Adds a chunk of total_bytes bytes, or, where addresses are scarce, of at least least_bytes.
Chunk* Heap::add_chunk(std::size_t total_bytes, std::size_t least_bytes) {
  if (!budget_.allows_chunks() || !blocks_.may_grow_by(blocks_of(least_bytes - kHeaderBytes), budget_))
    return nullptr;
  const auto add = [this, node = nodes().near_this_thread()](std::size_t bytes) {
    return blocks_.add_chunk(bytes, node, sweeper_.number());
  };
  Chunk* chunk = add(total_bytes);
  if (chunk == nullptr && release_empty_chunks_beyond(0) != 0) chunk = add(total_bytes);
  for (std::size_t bytes = total_bytes / 2; chunk == nullptr && bytes >= least_bytes; bytes /= 2)
    chunk = add(bytes);
  return chunk;
}

std::vector<std::uint64_t> Heap::chunk_bytes_by_node() {
  std::vector<std::uint64_t> bytes(nodes().count());
  for_each_chunk([&](const Chunk* chunk) { bytes[chunk->node()] += chunk->total_bytes(); });
  return bytes;
}

bool Heap::expand_to(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > blocks_.limit() || bytes > addresses().size()) return false;
  for (std::uint32_t node = nodes().near_this_thread(); blocks_.block_bytes() < bytes; ++node) {
    if (blocks_.add_chunk(kChunkBytes, node % nodes().count(), sweeper_.number()) == nullptr) {
      release_empty_chunks_beyond(0);
      return false;
    }
  }
  blocks_.keep(bytes);
  return true;
}

std::uint64_t Heap::release_free_memory() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t released = release_empty_chunks_beyond(0);
  blocks_.give_back_free_blocks();
  return released;
}

std::uint64_t Heap::give_back_some(std::uint64_t keep_bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t keep = std::max<std::uint64_t>(blocks_.kept_bytes(), keep_bytes);
  const std::uint64_t bytes = blocks_.give_back_some(keep);
  return bytes != 0 || is_marking_ || sweeper_.is_sweeping() ? bytes : blocks_.release_spent_chunk(keep);
}

std::uint64_t Heap::release_free_pages() {
  std::uint64_t released = 0;
  for (Place place; release_free_pages_from(place, released);) continue;
  return released;
}

// A sweep fills the lists of partly free blocks, and no allocator owns a block that is in one.
bool Heap::release_free_pages_from(Place& place, std::uint64_t& released) {
  const std::lock_guard lock(mutex_);
  if (is_marking_ || sweeper_.is_sweeping() || poison_.is_on() || place.chunk >= chunk_count()) return false;
  Chunk& chunk = *blocks_.chunks()[place.chunk];
  const std::size_t end = std::min(kBlocksPerChunk, place.block + kBlocksAtOnce);
  for (; place.block < end && !chunk.is_oversized(); ++place.block) {
    const BlockInfo& info = chunk.block(place.block);
    if (info.is_listed || info.use == BlockUse::large_head) released += chunk.release_free_pages(place.block);
  }
  if (end == kBlocksPerChunk || chunk.is_oversized()) place = {.chunk = place.chunk + 1};
  return true;
}

// Finds `count` neighbouring free blocks near this thread, else in a new chunk, else far away. A new chunk is
// preferred to a long sweep, and to blacklisted blocks where those are to be avoided.
Chunk* Heap::chunk_with_free_blocks(std::size_t count, std::size_t& first, Blacklisted blacklisted) {
  const std::uint32_t near = nodes().near_this_thread();
  if (Chunk* const chunk = find_sweeping(count, first, blacklisted, near, kFewChunks)) return chunk;
  const std::size_t least = std::max(kShortestChunkBytes, kHeaderBytes + count * kBlockBytes);
  Chunk* const added = add_chunk(kChunkBytes, least);
  if (added != nullptr) {
    first = added->find_free(count, blacklisted);
    if (first != 0) return added;
  }
  if (Chunk* const chunk = find_sweeping(count, first, blacklisted, near, chunk_count())) return chunk;
  const bool has_others = nodes().count() > 1;
  if (!has_others && blacklisted == Blacklisted::accepted) return nullptr;
  return blocks_.find(count, first, Blacklisted::accepted, has_others ? Blocks::kAnyNode : near);
}

// Finds free blocks as Blocks::find() does. During a sweep it prefers blocks that were written to before,
// since others would make the heap larger, and sweeps up to `most_swept` chunks for them.
Chunk* Heap::find_sweeping(std::size_t count, std::size_t& first, Blacklisted blacklisted, std::uint32_t node,
                           std::size_t most_swept) {
  for (std::size_t swept = 0;; ++swept) {
    const bool is_enough = !sweeper_.is_sweeping() || swept == most_swept;
    Chunk* const chunk = blocks_.find(count, first, blacklisted, node);
    if (is_enough || (chunk != nullptr && chunk->count_zero(first, count) == 0)) return chunk;
    sweep_to_allocate();
  }
}

}  // namespace jackdaw::heap
