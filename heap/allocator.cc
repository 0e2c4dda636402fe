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

bool Allocator::find_run(FreeRun& run, std::uint8_t size_class, Contents contents) {
  while (run.block.chunk == nullptr || !next_run_in_block(run)) {
    run.block = heap_.acquire_block(size_class, contents);
    run.next_slot = 0;
    if (run.block.chunk == nullptr) return false;
  }
  return true;
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
