#include "heap/allocator.h"

#include <cstring>
#include <limits>

namespace jackdaw::heap {

Object* Allocator::allocate_array(const TypeDescriptor& type, std::uint64_t length) {
  constexpr std::uint64_t kMaximumLength =
      std::numeric_limits<std::size_t>::max() / kWordBytes - Object::kArrayHeaderWords;
  if (length > kMaximumLength) return nullptr;
  Object* const array = allocate(type, (length + Object::kArrayHeaderWords) * kWordBytes);
  if (array != nullptr) array->set_array_length(length);
  return array;
}

bool Allocator::find_run(std::uint8_t size_class, Contents contents) {
  FreeRun& run = runs_[static_cast<std::size_t>(contents)][size_class];
  while (run.block.chunk == nullptr || !next_run_in_block(run)) {
    if (run.block.chunk != nullptr) heap_.give_up_block(run.block);
    run = {};
    run.block = heap_.acquire_block(size_class, contents);
    if (run.block.chunk == nullptr) return false;
  }
  return true;
}

void Allocator::give_up_blocks() {
  for (auto& runs : runs_) {
    for (FreeRun& run : runs) {
      if (run.block.chunk != nullptr) run.block.chunk->block(run.block.index).owned = false;
      run = {};
    }
  }
}

void Allocator::keep_runs_allocated() const {
  for (const auto& runs : runs_) {
    for (const FreeRun& run : runs) {
      if (run.cursor == run.end) continue;
      const std::size_t slot_bytes = run.block.chunk->block(run.block.index).slot_bytes;
      for (std::byte* slot = run.cursor; slot < run.end; slot += slot_bytes)
        run.block.chunk->set_allocated(slot);
    }
  }
}

bool Allocator::next_run_in_block(FreeRun& run) {
  Chunk& chunk = *run.block.chunk;
  const BlockInfo& info = chunk.block(run.block.index);
  std::byte* const start = chunk.block_start(run.block.index);
  const std::uint32_t slots = info.slots();
  const auto slot_at = [&](std::uint32_t slot) { return start + std::size_t{slot} * info.slot_bytes; };
  std::uint32_t first = run.next_slot;
  while (first < slots && chunk.is_allocated(slot_at(first))) ++first;
  std::uint32_t last = first;
  while (last < slots && !chunk.is_allocated(slot_at(last))) ++last;
  run.next_slot = last;
  run.cursor = slot_at(first);
  run.end = slot_at(last);
  std::memset(run.cursor, 0, static_cast<std::size_t>(run.end - run.cursor));
  const bool has_types = chunk.contents(run.block.index) == Contents::references;
  for (std::uint32_t slot = first; slot < last; ++slot) {
    if (has_types) reinterpret_cast<Object*>(slot_at(slot))->set_type(TypeDescriptor::unused());
    chunk.set_allocated(slot_at(slot));
  }
  return first < last;
}

}  // namespace jackdaw::heap
