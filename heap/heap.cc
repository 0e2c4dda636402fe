#include "heap/heap.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/check.h"
#include "heap/allocator.h"

namespace jackdaw::heap {

namespace {

// An object of its own chunk starts right after the chunk's header.
constexpr std::size_t kHeaderBytes = kFirstBlock * kBlockBytes;

// Where addresses are scarce chunks get shorter, but not shorter than this.
constexpr std::size_t kShortestChunkBytes = std::size_t{1} << 20;

// Spares are given out while a chunk has so many free blocks, and the limit leaves as many.
constexpr std::size_t kManyBlocks = 64;

// Programs may leave parts of larger objects untouched: the rest of their memory comes as they write to it.
constexpr std::size_t kMostPopulated = 16;  // blocks

// Any node's chunks.
constexpr std::uint32_t kAnyNode = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t blocks_of(std::size_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes; }

// Adds live objects and their bytes, which are all in one block, to the result.
void count_live(const Chunk& chunk, std::size_t block, std::uint32_t objects, std::uint64_t bytes,
                SweepResult& result) {
  result.live_objects += objects;
  result.live_bytes += bytes;
  if (chunk.contents(block) == Contents::data) result.unscanned_bytes += bytes;
}

}  // namespace

Heap::Heap(std::size_t limit_bytes, const MemoryNodes& nodes)
    : limit_bytes_(limit_bytes),
      space_(HeapSpace::default_bytes(), kinds_, nodes),
      partly_free_(base::PageArray<PartlyFree>::allocate_or_throw(nodes.count())) {}

Heap::~Heap() { JACKDAW_CHECK(allocators_.empty()); }

void Heap::register_allocator(Allocator* allocator) {
  const std::lock_guard lock(mutex_);
  if (!abandoned_.reserve(1) || !allocators_.append(allocator)) throw std::bad_alloc();
}

// Notes a list of slots that were freed by hand: where there is no more room, as part of another list.
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

constinit thread_local bool Heap::is_beyond_budget_ = false;

bool Heap::within_budget(std::uint64_t bytes) const {
  if (is_beyond_budget_) return true;
  // Relaxed: see set_budget.
  const std::uint64_t budget = budget_.load(std::memory_order_relaxed);
  return bytes <= budget && allocated_bytes() <= budget - bytes;
}

void Heap::count_allocated(std::uint64_t bytes) {
  // Relaxed: see allocated_bytes. Written under the lock only.
  allocated_bytes_.store(allocated_bytes() + bytes, std::memory_order_relaxed);
  usage_.allocated.add(bytes);
}

// Whether so many blocks more may be in use.
bool Heap::within_limit(std::size_t blocks) const {
  return usage_.used <= limit_bytes_ && blocks <= (limit_bytes_ - usage_.used) / kBlockBytes;
}

// Whether the budget lets so many blocks more have memory.
bool Heap::may_grow_by(std::size_t blocks) const {
  if (blocks == 0 || is_beyond_budget_) return true;
  // Relaxed, both: see set_budget.
  if (allocated_bytes() <= budget_while_growing_.load(std::memory_order_relaxed)) return true;
  const std::uint64_t grows_freely_to =
      std::max<std::uint64_t>(kept_bytes_, grows_freely_to_.load(std::memory_order_relaxed));
  return usage_.used + usage_.free + blocks * kBlockBytes <= grows_freely_to;
}

// Whether so many blocks more may have memory, after free ones lost theirs if that is what it takes. Within
// limit and budget that is so, unless the system refuses to take any back.
bool Heap::make_room_for(std::size_t untouched_blocks) {
  if (!may_grow_by(untouched_blocks)) return false;
  const auto has_room = [&] {
    const std::uint64_t has_memory = usage_.used + usage_.free;
    return has_memory <= limit_bytes_ && untouched_blocks <= (limit_bytes_ - has_memory) / kBlockBytes;
  };
  if (has_room()) return true;
  give_back_free_blocks();
  return has_room();
}

bool Heap::take_block(Chunk* chunk, std::size_t index, const BlockInfo& info, KindNumber kind) {
  if (chunk->is_given_back(index)) usage_.given_back.subtract(kBlockBytes);
  const bool is_zero = chunk->take_block(index, info, kind);
  if (!is_zero) usage_.free.subtract(kBlockBytes);
  usage_.used.add(kBlockBytes);
  return poison_.is_on() && !chunk->is_oversized() ? poison_.take_block(*chunk, index, is_zero) : is_zero;
}

// Memory that is freed by hand may have been allocated before the last sweep.
void Heap::count_freed(std::uint64_t bytes) {
  // Relaxed: as above.
  allocated_bytes_.store(allocated_bytes() - std::min(bytes, allocated_bytes()), std::memory_order_relaxed);
}

SmallBlock Heap::own_block(std::uint8_t size_class, KindNumber kind, std::uint32_t spares) {
  const std::lock_guard lock(mutex_);
  std::byte*& partly_free = partly_free_of(size_class, kind, space_.nodes().near_this_thread());
  if (partly_free == nullptr) sweep_next_chunk();
  if (partly_free != nullptr) return own_partly_free(partly_free);
  SmallBlock block = own_free(size_class, kind);
  if (block.chunk == nullptr) return own_partly_free_anywhere(size_class, kind);
  std::byte** end_of_spares = &block.spares;
  const auto are_many = [&] {
    return block.chunk->free_blocks() >= kManyBlocks && within_limit(kManyBlocks);
  };
  for (; spares > 0 && block.chunk != nullptr && are_many(); --spares) {
    const SmallBlock spare = own_free(size_class, kind);
    if (spare.chunk == nullptr) break;
    *end_of_spares = spare.chunk->block_start(spare.index);
    end_of_spares = &spare.chunk->block(spare.index).next;
  }
  return block;
}

SmallBlock Heap::take_spare(std::byte* spares) {
  Chunk* const chunk = Chunk::of(spares);
  const std::size_t index = chunk->block_index(spares);
  const BlockInfo& info = chunk->block(index);
  JACKDAW_CHECK(info.use == BlockUse::small);
  return {chunk, static_cast<std::uint32_t>(index), info.was_zero, info.next};
}

// The first block of the list, or none when the budget is spent.
SmallBlock Heap::own_partly_free(std::byte*& list) {
  Chunk* const chunk = Chunk::of(list);
  const std::size_t index = chunk->block_index(list);
  BlockInfo& info = chunk->block(index);
  JACKDAW_CHECK(info.use == BlockUse::small && info.live_slots < info.slots());
  if (!within_budget(info.free_bytes())) return {};
  list = info.next;
  count_allocated(info.free_bytes());
  return {chunk, static_cast<std::uint32_t>(index)};
}

// Takes a block of the first list that is not empty, whatever its node is, as own_partly_free does.
SmallBlock Heap::own_partly_free_anywhere(std::uint8_t size_class, KindNumber kind) {
  for (std::uint32_t node = 0; node < partly_free_.size(); ++node) {
    std::byte*& list = partly_free_of(size_class, kind, node);
    if (list != nullptr) return own_partly_free(list);
  }
  return {};
}

// A block that is wholly free, or none when there is no memory or the budget is spent.
SmallBlock Heap::own_free(std::uint8_t size_class, KindNumber kind) {
  if (!within_budget(kBlockBytes) || !within_limit(1)) return {};
  std::size_t index = 0;
  const BlockSearch::Taker taker = BlockSearch::of_this_processor();
  Chunk* chunk = busy_allocators_ > 1 ? find_taken_before(taker, index) : nullptr;
  if (chunk == nullptr) chunk = chunk_with_free_blocks(1, index, Blacklisted::accepted);
  if (chunk == nullptr || !make_room_for(chunk->count_zero(index, 1))) return {};
  BlockInfo info;
  info.use = BlockUse::small;
  info.swept = sweep_number();
  info.size_class = size_class;
  info.slot_bytes = SizeClasses::slot_bytes(size_class);
  const bool is_zero = take_block(chunk, index, info, kind);
  chunk->block(index).was_zero = is_zero;
  chunk->set_taker(index, taker);
  JACKDAW_CHECK(!holds_objects(*chunk, index));
  space_.map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(index)),
                   BlockShape::of_slots(info.slot_bytes, kinds_[kind].contents));
  count_allocated(kBlockBytes);
  return {chunk, static_cast<std::uint32_t>(index), is_zero};
}

// The chunk of a free block, near this thread, that `taker` had before; null when there is none. While a
// sweep goes on, only what it has come to is searched.
Chunk* Heap::find_taken_before(BlockSearch::Taker taker, std::size_t& index) {
  const std::size_t end = std::min(chunks_.size(), unswept_from_);
  const std::uint32_t near = space_.nodes().near_this_thread();
  BlockSearch::Place& place = block_search_.place_of(taker);
  for (; place.chunk < end; place = {.chunk = place.chunk + 1}) {
    Chunk* const chunk = chunks_[place.chunk];
    if (chunk->is_oversized() || chunk->free_blocks() == 0 || chunk->node() != near) continue;
    index = chunk->find_free_of(taker, place.block);
    if (index == 0) continue;
    place.block = index + 1;
    return chunk;
  }
  return nullptr;
}

Object* Heap::allocate_large(std::size_t bytes, KindNumber kind, LargeAddresses addresses) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return nullptr;  // so that no sum below overflows
  const std::size_t count = blocks_of(bytes);
  const bool is_oversized = count > kUsableBlocks;
  const Blacklisted blacklisted =
      addresses == LargeAddresses::all ? Blacklisted::avoided : Blacklisted::accepted;
  std::byte* start = nullptr;
  Chunk* chunk = nullptr;
  std::size_t first = kFirstBlock;
  bool is_zero = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t charged = is_oversized ? bytes : count * kBlockBytes;
    if (!within_budget(charged) || !within_limit(count)) return nullptr;
    const std::size_t total = kHeaderBytes + count * kBlockBytes;
    chunk = is_oversized ? add_chunk(total, total) : chunk_with_free_blocks(count, first, blacklisted);
    if (chunk == nullptr || !make_room_for(is_oversized ? count : chunk->count_zero(first, count)))
      return nullptr;
    BlockInfo info;
    info.addresses = addresses;
    info.large_bytes = bytes;
    is_zero = take_large(chunk, first, info, kind);
    start = chunk->block_start(first);
    count_allocated(charged);
  }
  // Release: as in Allocator::next_run_in_block, for the map's entries.
  std::atomic_thread_fence(std::memory_order_release);
  auto* const object = reinterpret_cast<Object*>(start);
  if (is_zero && !is_oversized) chunk->populate(first, std::min(count, kMostPopulated));
  if (!is_zero && kinds_[kind].is_cleared) std::memset(start, 0, bytes);
  if (kinds_[kind].contents == Contents::references) object->set_type(TypeDescriptor::unused());
  return object;
}

// Takes the blocks of a large object, whose addresses and bytes `info` tells. Returns whether they are zero.
bool Heap::take_large(Chunk* chunk, std::size_t first, const BlockInfo& info, KindNumber kind) {
  BlockInfo head = info;
  head.use = BlockUse::large_head;
  head.blocks = static_cast<std::uint32_t>(blocks_of(info.large_bytes));
  JACKDAW_CHECK(chunk->is_oversized() || first + head.blocks <= kBlocksPerChunk);
  const bool is_zero = take_block(chunk, first, head, kind);
  space_.map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(first)),
                   BlockShape::of_large(0, kinds_[kind].contents));
  chunk->set_large_allocated(first);
  return take_tail(chunk, first, 1, head.blocks) && is_zero;
}

// Takes the blocks numbered from `from` to `end` of the large object whose head is at `first`. Of an object
// that no chunk holds, only the blocks of the first kChunkBytes are in the chunk's table; the map has them
// all.
bool Heap::take_tail(Chunk* chunk, std::size_t first, std::size_t from, std::size_t end) {
  const bool keeps_nothing = chunk->block(first).addresses == LargeAddresses::near_start;
  const Contents contents = kinds_[chunk->kind(first)].contents;
  BlockInfo info;
  info.use = BlockUse::large_tail;
  bool is_zero = true;
  for (std::size_t index = from; index < end; ++index) {
    const std::size_t block = first + index;
    if (block < kBlocksPerChunk) {
      is_zero = take_block(chunk, block, info, chunk->kind(first)) && is_zero;
    } else {
      usage_.used.add(kBlockBytes);
    }
    JACKDAW_CHECK(!holds_objects(*chunk, block));
    space_.map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(block)),
                     BlockShape::of_large(static_cast<std::uint32_t>(index), contents, keeps_nothing));
  }
  return is_zero;
}

void Heap::release_blocks(Chunk* chunk, std::size_t first, std::size_t count) {
  JACKDAW_CHECK(count != 0);
  for (std::size_t block = first; block < first + count; ++block) {
    JACKDAW_CHECK(holds_objects(*chunk, block));
    space_.map().set(reinterpret_cast<std::uintptr_t>(chunk->block_start(block)), {});
    if (poison_.is_on() && !chunk->is_oversized()) poison_.release_block(*chunk, block);
    if (block < kBlocksPerChunk) chunk->release_block(block);
  }
  usage_.used.subtract(count * kBlockBytes);
  if (!chunk->is_oversized()) usage_.free.add(count * kBlockBytes);
}

void Heap::free_large(Object* object) {
  Chunk* const chunk = Chunk::of(object);
  const std::size_t first = chunk->block_index(reinterpret_cast<const std::byte*>(object));
  const std::lock_guard lock(mutex_);
  const BlockInfo info = chunk->block(first);
  JACKDAW_CHECK(info.use == BlockUse::large_head);
  if (is_marking_) {
    chunk->block(first).is_freed = true;
    Chunk::set_free(chunk->block_start(first), chunk->block_start(first) + kGranuleBytes);
    return;
  }
  count_freed(chunk->is_oversized() ? info.large_bytes : std::uint64_t{info.blocks} * kBlockBytes);
  release_blocks(chunk, first, info.blocks);
  search_from_ = 0;
  if (chunk->is_oversized()) remove_chunk(chunk);
}

void Heap::remove_chunk(Chunk* chunk) {
  const auto chunks = chunks_.span();
  const auto index = static_cast<std::size_t>(std::ranges::find(chunks, chunk) - chunks.begin());
  JACKDAW_CHECK(index < chunks.size());
  if (is_sweeping() && index < unswept_from_) --unswept_from_;
  chunks_.remove_if([chunk](const Chunk* other) { return other == chunk; });
  block_search_.look_again_from(0);
  release_chunk(chunk);
}

bool Heap::resize_large(Object* object, std::size_t bytes) {
  if (bytes <= kLargestSmallBytes || bytes > std::numeric_limits<std::size_t>::max() / 2) return false;
  Chunk* const chunk = Chunk::of(object);
  auto* const start = reinterpret_cast<std::byte*>(object);
  const std::size_t first = chunk->block_index(start);
  const std::lock_guard lock(mutex_);
  BlockInfo& info = chunk->block(first);
  JACKDAW_CHECK(info.use == BlockUse::large_head);
  const std::size_t before = info.large_bytes;
  if (bytes == before) return true;
  // Markers that visit it in slices go by its length.
  if (is_marking_ && chunk->contents(first) != Contents::data) return false;
  if (blocks_of(bytes) != info.blocks && !change_blocks(chunk, first, blocks_of(bytes))) return false;
  info.large_bytes = bytes;
  if (bytes > before && kinds_[chunk->kind(first)].is_cleared) std::memset(start + before, 0, bytes - before);
  return true;
}

// Gives the large object at `first` so many blocks. False, with nothing changed, when that is not possible.
bool Heap::change_blocks(Chunk* chunk, std::size_t first, std::size_t count) {
  BlockInfo& info = chunk->block(first);
  const std::size_t before = info.blocks;
  // An object in a chunk of its own stays there, and one in a chunk with others, too.
  if (chunk->is_oversized() != (count > kUsableBlocks)) return false;
  if (count > before) {
    const std::size_t added = count - before;
    const bool is_oversized = chunk->is_oversized();
    if (!is_oversized && !chunk->are_free(first + before, added)) return false;
    if (!within_budget(added * kBlockBytes) || !within_limit(added)) return false;
    if (is_oversized && !resize_chunk(chunk, kHeaderBytes + count * kBlockBytes)) return false;
    if (!make_room_for(is_oversized ? added : chunk->count_zero(first + before, added))) return false;
    take_tail(chunk, first, before, count);
    count_allocated(added * kBlockBytes);
  } else {
    count_freed((before - count) * kBlockBytes);
    release_blocks(chunk, first + count, before - count);
    search_from_ = 0;
    if (chunk->is_oversized()) chunk->give_back(first + count, before - count);
  }
  info.blocks = static_cast<std::uint32_t>(count);
  return true;
}

bool Heap::resize_chunk(Chunk* chunk, std::size_t total_bytes) {
  if (total_bytes <= chunk->total_bytes()) return true;
  const std::uint64_t before = chunk->total_bytes();
  if (!space_.extend(chunk, total_bytes)) return false;
  const std::uint64_t extra = chunk->total_bytes() - before;
  chunk_bytes_.store(chunk_bytes() + extra, std::memory_order_relaxed);
  usage_.taken.add(extra);
  return true;
}

void Heap::free_slot(Object* object) {
  if (poison_.is_on()) poison_.free(object);
  auto* const slot = reinterpret_cast<std::byte*>(object);
  Chunk::set_free(slot, slot + bytes_of(object));
}

std::size_t Heap::bytes_of(const Object* object) {
  const Chunk& chunk = *Chunk::of(object);
  const BlockInfo& info = chunk.block(chunk.block_index(reinterpret_cast<const std::byte*>(object)));
  return info.use == BlockUse::small ? info.slot_bytes : info.large_bytes;
}

Object* Heap::object_at(const void* address) const {
  const std::uintptr_t start = space_.map().start_of_object_at(reinterpret_cast<std::uintptr_t>(address));
  if (start == 0) return nullptr;
  auto* const object = reinterpret_cast<Object*>(start);  // NOLINT(performance-no-int-to-ptr)
  Chunk* const chunk = Chunk::of(object);
  if (!chunk->is_allocated(object)) return nullptr;
  const BlockInfo& info = chunk->block(chunk->block_index(reinterpret_cast<const std::byte*>(object)));
  if (info.use == BlockUse::large_head &&
      static_cast<const std::byte*>(address) >= reinterpret_cast<const std::byte*>(object) + info.large_bytes)
    return nullptr;
  const bool is_unswept = chunk->swept() != sweep_number() && info.swept != sweep_number();
  if (is_unswept && !chunk->is_marked(object)) return nullptr;
  if (chunk->contents_of(object) != Contents::references) return object;
  // A slot that an allocator has before it has no type yet. Asked once more: in a chunk that was released
  // meanwhile all contents seem to be references, but nothing is allocated.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool is_used = chunk->is_allocated(object) && object->type() != &TypeDescriptor::unused();
  return is_used ? object : nullptr;
}

void Heap::clear_marks() {
  start_clearing_marks();
  for (std::size_t chunk = 0; chunk < chunk_count(); ++chunk) clear_marks_of_chunk(chunk);
}

void Heap::start_clearing_marks() { space_.map().start_round(); }

void Heap::clear_marks_of_chunk(std::size_t index) {
  JACKDAW_CHECK(index < chunk_count());
  Chunk& chunk = *chunks_.span()[index];
  chunk.forget_blacklisted();
  for (std::size_t block = kFirstBlock; block < kBlocksPerChunk; ++block) {
    if (chunk.block(block).use != BlockUse::free) chunk.clear_marks(block);
  }
}

void Heap::withdraw_free_slots() {
  const std::lock_guard lock(mutex_);
  for (Allocator* const allocator : allocators_) allocator->withdraw_free_slots();
  for (std::byte* const freed : abandoned_.span()) Allocator::withdraw_freed(freed);
}

void Heap::begin_marking() {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(!is_marking_ && !is_sweeping());
  is_marking_ = true;
}

void Heap::lock_out_allocators() {
  const std::lock_guard lock(mutex_);
  // Relaxed: no thread allocates, and whoever lets them go on publishes it.
  locks_out_.store(true, std::memory_order_relaxed);
  for (Allocator* const allocator : allocators_) allocator->lock_out();
  set_budget(0);
}

bool Heap::clear_marks_while_allocating(std::size_t index) {
  const std::lock_guard lock(mutex_);
  // No chunk goes away meanwhile, and those that come hold marked objects alone.
  if (index >= chunk_count()) return false;
  if (index == 0) start_clearing_marks();
  clear_marks_of_chunk(index);
  return true;
}

SweepResult Heap::sweep(OwnedBlocks owned) {
  start_sweep(owned);
  finish_sweep();
  return swept_;
}

void Heap::start_sweep(OwnedBlocks owned) {
  const std::lock_guard lock(mutex_);
  JACKDAW_CHECK(!is_sweeping() && !is_marking_);
  swept_ = {};
  // Relaxed: see sweep_number.
  sweep_number_.store(sweep_number() + 1, std::memory_order_relaxed);
  recent_use_.note(usage_.used);
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
  for (PartlyFree& lists_of_node : partly_free_.span()) lists_of_node = {};
  allocated_bytes_.store(0, std::memory_order_relaxed);
  unswept_from_ = 0;
}

bool Heap::sweep_some() {
  const std::lock_guard lock(mutex_);
  return sweep_next_chunk();
}

bool Heap::sweep_next_chunk() {
  if (!is_sweeping()) return true;
  if (unswept_from_ < chunks_.size()) {
    search_from_ = std::min(search_from_, unswept_from_);
    block_search_.look_again_from(unswept_from_);
    sweep_chunk(chunks_[unswept_from_++]);
  }
  if (unswept_from_ < chunks_.size()) return false;
  unswept_from_ = kNoChunk;
  swept_.released_bytes = release_empty_chunks(std::max<std::uint64_t>(kept_bytes_, recent_use_.most()));
  return true;
}

void Heap::sweep_chunk(Chunk* chunk) {
  JACKDAW_CHECK(!is_marking_);
  for (std::size_t index = kFirstBlock; index < kBlocksPerChunk; ++index) {
    const BlockInfo info = chunk->block(index);
    if (info.use == BlockUse::small) {
      if (info.swept != sweep_number()) sweep_small(chunk, index);
    } else if (info.use == BlockUse::large_head) {
      if (chunk->is_marked(chunk->block_start(index)) && !info.is_freed) {
        const std::uint64_t bytes =
            chunk->is_oversized() ? info.large_bytes : std::uint64_t{info.blocks} * kBlockBytes;
        count_live(*chunk, index, 1, bytes, swept_);
        continue;
      }
      release_blocks(chunk, index, info.blocks);
    }
  }
  chunk->set_swept(sweep_number());
}

void Heap::sweep_small(Chunk* chunk, std::size_t index) {
  JACKDAW_CHECK(static_cast<std::int32_t>(sweep_number() - chunk->block(index).swept) > 0);
  if (poison_.is_on()) poison_.sweep_block(*chunk, index);
  const std::uint32_t live = chunk->count_marks(index);
  if (live == 0) {
    release_blocks(chunk, index, 1);
    return;
  }
  keep_marked(chunk, index, live);
  BlockInfo& info = chunk->block(index);
  if (live == info.slots()) return;
  std::byte*& partly_free = partly_free_of(info.size_class, chunk->kind(index), chunk->node());
  info.next = partly_free;
  partly_free = chunk->block_start(index);
}

// Keeps the marked slots of a block allocated, `live` of them, and counts them.
void Heap::keep_marked(Chunk* chunk, std::size_t index, std::uint32_t live) {
  BlockInfo& info = chunk->block(index);
  chunk->keep_marked(index, are_freed_by_others(chunk->kind(index)));
  JACKDAW_CHECK(live <= info.slots());
  info.live_slots = static_cast<std::uint16_t>(live);
  count_live(*chunk, index, live, std::uint64_t{live} * info.slot_bytes, swept_);
}

// A block that an allocator goes on with: nobody else sweeps it while there are objects in it that came
// later.
void Heap::sweep_owned(Chunk* chunk, std::size_t index) {
  keep_marked(chunk, index, chunk->count_marks(index));
  chunk->block(index).swept = sweep_number();
}

// Those stay without which the blocks of all chunks would take less than `keep_bytes`, unless they are
// oversized.
std::uint64_t Heap::release_empty_chunks(std::uint64_t keep_bytes) {
  if (is_marking_ || is_sweeping()) return 0;
  std::uint64_t released = 0;
  std::uint64_t left = block_bytes();
  const auto unneeded = [&](Chunk* chunk) {
    if (!chunk->is_empty()) return false;
    const std::uint64_t bytes = chunk->usable_blocks() * kBlockBytes;
    if (!chunk->is_oversized() && left - bytes < keep_bytes) return false;
    left -= bytes;
    released += chunk->total_bytes();
    release_chunk(chunk);
    return true;
  };
  chunks_.remove_if(unneeded);
  search_from_ = 0;
  block_search_.look_again_from(0);
  return released;
}

// A chunk of so many bytes, or, where addresses are scarce, of so many at least.
Chunk* Heap::add_chunk(std::size_t total_bytes, std::size_t least_bytes) {
  if ((grows_too_early() && !is_beyond_budget_) || !may_grow_by(blocks_of(least_bytes - kHeaderBytes)))
    return nullptr;
  const std::uint32_t node = space_.nodes().near_this_thread();
  Chunk* chunk = try_add_chunk(total_bytes, node);
  if (chunk == nullptr && release_empty_chunks(kept_bytes_) != 0) chunk = try_add_chunk(total_bytes, node);
  for (std::size_t bytes = total_bytes / 2; chunk == nullptr && bytes >= least_bytes; bytes /= 2)
    chunk = try_add_chunk(bytes, node);
  return chunk;
}

Chunk* Heap::try_add_chunk(std::size_t total_bytes, std::uint32_t node) {
  if (!chunks_.reserve(chunks_.size() + 1)) return nullptr;
  Chunk* const chunk = space_.allocate(total_bytes, node);
  if (chunk == nullptr || !chunks_.append(chunk)) return nullptr;
  chunk->set_swept(sweep_number());
  chunk_bytes_.store(chunk_bytes() + chunk->total_bytes(), std::memory_order_relaxed);
  usage_.taken.add(chunk->total_bytes());
  return chunk;
}

void Heap::release_chunk(Chunk* chunk) {
  JACKDAW_CHECK(chunk->is_empty() && chunk->total_bytes() <= chunk_bytes());
  chunk_bytes_.store(chunk_bytes_.load(std::memory_order_relaxed) - chunk->total_bytes(),
                     std::memory_order_relaxed);
  if (!chunk->is_oversized()) usage_.free.subtract(chunk->written_free_blocks() * kBlockBytes);
  usage_.given_back.subtract(chunk->blocks_given_back() * kBlockBytes);
  space_.release(chunk);
}

std::vector<std::uint64_t> Heap::chunk_bytes_by_node() {
  std::vector<std::uint64_t> bytes(space_.nodes().count());
  for_each_chunk([&](const Chunk* chunk) { bytes[chunk->node()] += chunk->total_bytes(); });
  return bytes;
}

bool Heap::expand_to(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > limit_bytes_ || bytes > addresses().size()) return false;
  for (std::uint32_t node = space_.nodes().near_this_thread(); block_bytes() < bytes; ++node) {
    if (try_add_chunk(kChunkBytes, node % space_.nodes().count()) == nullptr) {
      release_empty_chunks(kept_bytes_);
      return false;
    }
  }
  kept_bytes_.subtract(kept_bytes_);
  kept_bytes_.add(bytes);
  return true;
}

std::uint64_t Heap::release_free_memory() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t released = release_empty_chunks(kept_bytes_);
  give_back_free_blocks();
  return released;
}

void Heap::give_back_free_blocks() {
  for (Chunk* const chunk : chunks_.span()) {
    const std::size_t before = chunk->blocks_given_back();
    chunk->release_free_memory();
    const std::size_t bytes = (chunk->blocks_given_back() - before) * kBlockBytes;
    usage_.free.subtract(bytes);
    usage_.given_back.add(bytes);
  }
}

// The first blocks of `count` neighbouring free ones: near this thread, in a new chunk if there are none in
// others, and only then far away. Rather in a new chunk than where something refers to, unless that is
// accepted; and rather than to sweep for long.
Chunk* Heap::chunk_with_free_blocks(std::size_t count, std::size_t& first, Blacklisted blacklisted) {
  constexpr std::size_t kFewChunks = 4;
  const std::uint32_t near = space_.nodes().near_this_thread();
  if (Chunk* const chunk = find_sweeping(count, first, blacklisted, near, kFewChunks)) return chunk;
  const std::size_t least = std::max(kShortestChunkBytes, kHeaderBytes + count * kBlockBytes);
  Chunk* const added = add_chunk(kChunkBytes, least);
  if (added != nullptr) {
    first = added->find_free(count, blacklisted);
    if (first != 0) return added;
  }
  if (Chunk* const chunk = find_sweeping(count, first, blacklisted, near, chunks_.size())) return chunk;
  const bool has_others = space_.nodes().count() > 1;
  if (!has_others && blacklisted == Blacklisted::accepted) return nullptr;
  return find_chunk(count, first, Blacklisted::accepted, has_others ? kAnyNode : near);
}

// As find_chunk. While the sweep goes on, what it frees comes before what nobody wrote to yet, which would
// make the heap larger, unless there is none after so many chunks more.
Chunk* Heap::find_sweeping(std::size_t count, std::size_t& first, Blacklisted blacklisted, std::uint32_t node,
                           std::size_t most_swept) {
  for (std::size_t swept = 0;; ++swept) {
    const bool is_enough = !is_sweeping() || swept == most_swept;
    Chunk* const chunk = find_chunk(count, first, blacklisted, node);
    if (is_enough || (chunk != nullptr && chunk->count_zero(first, count) == 0)) return chunk;
    sweep_next_chunk();
  }
}

Chunk* Heap::find_chunk(std::size_t count, std::size_t& first, Blacklisted blacklisted, std::uint32_t node) {
  for (std::size_t i = search_from_; i < chunks_.size(); ++i) {
    Chunk* const chunk = chunks_[i];
    const std::size_t available = chunk->is_oversized() ? 0 : chunk->free_blocks();
    if (available == 0 && i == search_from_) {
      ++search_from_;
    } else if (available >= count && (node == kAnyNode || node == chunk->node())) {
      first = chunk->find_free(count, blacklisted);
      if (first != 0) return chunk;
    }
  }
  return nullptr;
}

}  // namespace jackdaw::heap
