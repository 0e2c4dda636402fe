#include "heap/poison.h"

#include <algorithm>

namespace jackdaw::heap {

namespace {

void fill(std::byte* first, std::size_t bytes, std::uint64_t pattern) {
  std::fill_n(reinterpret_cast<std::uint64_t*>(first), bytes / sizeof pattern, pattern);
}

}  // namespace

void Poison::tell_of_death(const Object* object) const {
  const auto dies = dies_.load(std::memory_order_relaxed);
  if (dies != nullptr) dies(object);
}

void Poison::fill_dead(Object* object, std::size_t bytes, std::uint64_t pattern) const {
  tell_of_death(object);
  fill(reinterpret_cast<std::byte*>(object), bytes, pattern);
}

void Poison::check(const std::byte* first, std::size_t bytes, std::uint64_t pattern,
                   const Object* object) const {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(first);
  const auto* const end = words + bytes / sizeof pattern;
  const auto* const written = std::find_if(words, end, [=](std::uint64_t word) { return word != pattern; });
  if (written != end) written_({written, object, object == nullptr ? 0 : bytes});
}

bool Poison::take_block(Chunk& chunk, std::size_t block, bool was_zero) const {
  std::byte* const start = chunk.block_start(block);
  if (!was_zero) check(start, kBlockBytes, kPattern, nullptr);
  if (chunk.block(block).use != BlockUse::small) return was_zero;
  if (was_zero || pattern_of(chunk, block) != kPattern) fill(start, kBlockBytes, pattern_of(chunk, block));
  return false;
}

void Poison::release_block(Chunk& chunk, std::size_t block) const {
  std::byte* const start = chunk.block_start(block);
  if (chunk.block(block).use == BlockUse::large_head) tell_of_death(reinterpret_cast<const Object*>(start));
  fill(start, kBlockBytes, kPattern);
}

void Poison::sweep_block(Chunk& chunk, std::size_t block, const std::byte* first,
                         const std::byte* end) const {
  const std::size_t bytes = chunk.block(block).slot_bytes;
  const std::uint64_t pattern = pattern_of(chunk, block);
  std::byte* slot = chunk.block_start(block);
  for (std::uint32_t left = chunk.block(block).slots(); left > 0; --left, slot += bytes) {
    auto* const object = reinterpret_cast<Object*>(slot);
    if (first <= slot && slot < end) continue;
    if (!chunk.is_allocated_acquire(object)) {
      check(slot, bytes, pattern, object);
    } else if (!chunk.is_marked(object)) {
      fill_dead(object, bytes, pattern);
    }
  }
}

void Poison::free(Object* object) const {
  const Chunk& chunk = *Chunk::of(object);
  const std::size_t block = chunk.block_index(reinterpret_cast<const std::byte*>(object));
  fill_dead(object, chunk.block(block).slot_bytes, pattern_of(chunk, block));
}

void Poison::hand_out(Chunk& chunk, std::size_t block, const std::byte* first, const std::byte* end) const {
  const std::size_t bytes = chunk.block(block).slot_bytes;
  for (const std::byte* slot = first; slot < end; slot += bytes)
    check(slot, bytes, pattern_of(chunk, block), reinterpret_cast<const Object*>(slot));
}

void Poison::give_up(std::byte* first, std::byte* end) const {
  const Chunk& chunk = *Chunk::of(first);
  fill(first, static_cast<std::size_t>(end - first), pattern_of(chunk, chunk.block_index(first)));
}

}  // namespace jackdaw::heap
