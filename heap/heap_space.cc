#include "heap/heap_space.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>

#include "heap/leak_sanitizer.h"
#include "heap/system_memory.h"

namespace jackdaw::heap {

namespace {

// How much more than the machine's memory a heap without a limit may take: some of it may be swapped out, and
// chunks of different lengths leave gaps.
constexpr std::size_t kTimesMemory = 4;
constexpr std::size_t kLeastDefaultBytes = std::size_t{4} << 30;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Addresses without memory. When the system does not allow so many, half of those that it does: the rest of
// the process needs some, too.
std::span<std::byte> reserve(std::size_t bytes) {
  const auto try_to_reserve = [](std::size_t size) {
    return mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  std::size_t size = bytes;
  void* memory = try_to_reserve(size);
  while (memory == MAP_FAILED && size / 2 >= 2 * kChunkBytes) memory = try_to_reserve(size /= 2);
  if (memory == MAP_FAILED) return {};
  auto* const start = static_cast<std::byte*>(memory);
  if (size == bytes || size / 2 < 2 * kChunkBytes) return {start, size};
  const std::size_t kept = round_up(size / 2, kChunkBytes);
  munmap(start + kept, size - kept);
  return {start, kept};
}

}  // namespace

std::size_t HeapSpace::default_bytes() {
  const auto memory =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::bit_ceil(std::max(kTimesMemory * memory, kLeastDefaultBytes));
}

HeapSpace::HeapSpace(std::size_t bytes, const KindTable& kinds, const MemoryNodes& nodes)
    : reserved_(reserve(round_up(bytes, kChunkBytes) + kChunkBytes)), kinds_(kinds), nodes_(nodes) {
  if (reserved_.empty()) throw std::bad_alloc();
  const std::size_t to_alignment = -reinterpret_cast<std::uintptr_t>(reserved_.data()) % kChunkBytes;
  start_ = reserved_.data() + to_alignment;
  const std::size_t pieces = (reserved_.size() - to_alignment) / kChunkBytes;
  const std::span<std::byte> states = map_memory(pieces);
  const std::span<std::byte> entries = map_memory(pieces * kBlocksPerChunk * sizeof(std::uint64_t));
  const std::span<std::byte> suspected = map_memory(pieces * kBlocksPerChunk);
  if (states.empty() || entries.empty() || suspected.empty()) {
    unmap_memory(suspected);
    unmap_memory(states);
    unmap_memory(entries);
    unmap_memory(reserved_);
    throw std::bad_alloc();
  }
  pieces_ = {reinterpret_cast<Piece*>(states.data()), pieces};
  entries_ = {reinterpret_cast<std::atomic<std::uint64_t>*>(entries.data()), pieces * kBlocksPerChunk};
  suspected_ = suspected;
  map_ = BlockMap(reinterpret_cast<std::uintptr_t>(start_), entries_,
                  reinterpret_cast<std::atomic<std::uint8_t>*>(suspected.data()));
  show_to_leak_sanitizer(reserved_);
}

HeapSpace::~HeapSpace() {
  hide_from_leak_sanitizer(reserved_);
  unmap_memory(suspected_);
  unmap_memory(std::as_writable_bytes(pieces_));
  unmap_memory({reinterpret_cast<std::byte*>(entries_.data()), entries_.size_bytes()});
  unmap_memory(reserved_);
}

std::size_t HeapSpace::find_free(std::size_t count) const {
  std::size_t run = 0;
  for (std::size_t piece = search_from_; piece < pieces_.size(); ++piece) {
    run = pieces_[piece] == Piece::free ? run + 1 : 0;
    if (run == count) return piece + 1 - count;
  }
  return pieces_.size();
}

void HeapSpace::mark_pieces(std::size_t first, std::size_t count, Piece state) {
  std::fill_n(pieces_.begin() + static_cast<std::ptrdiff_t>(first), count, state);
}

Chunk* HeapSpace::allocate(std::size_t total_bytes, std::uint32_t node) {
  while (search_from_ < pieces_.size() && pieces_[search_from_] == Piece::taken) ++search_from_;
  if (total_bytes > pieces_.size() * kChunkBytes) return nullptr;
  const std::size_t count = round_up(total_bytes, kChunkBytes) / kChunkBytes;
  const std::size_t first = find_free(count);
  if (first == pieces_.size()) return nullptr;
  std::byte* const memory = address_of(first);
  if (mprotect(memory, total_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  // Advice only: where the system refuses, the heap works with small pages.
  madvise(memory, total_bytes, MADV_HUGEPAGE);
  nodes_.place({memory, total_bytes}, node);
  mark_pieces(first, count, Piece::taken);
  return new (memory) Chunk(total_bytes, node, map_, kinds_);
}

bool HeapSpace::extend(Chunk* chunk, std::size_t total_bytes) {
  auto* const memory = reinterpret_cast<std::byte*>(chunk);
  const std::size_t before = round_up(chunk->total_bytes(), kChunkBytes) / kChunkBytes;
  const std::size_t count = round_up(total_bytes, kChunkBytes) / kChunkBytes;
  const std::size_t first = static_cast<std::size_t>(memory - start_) / kChunkBytes;
  if (first + count > pieces_.size()) return false;
  for (std::size_t piece = first + before; piece < first + count; ++piece) {
    if (pieces_[piece] != Piece::free) return false;
  }
  if (mprotect(memory, total_bytes, PROT_READ | PROT_WRITE) != 0) return false;
  madvise(memory, total_bytes, MADV_HUGEPAGE);
  nodes_.place({memory + chunk->total_bytes(), total_bytes - chunk->total_bytes()}, chunk->node());
  mark_pieces(first + before, count - before, Piece::taken);
  chunk->extend(total_bytes);
  return true;
}

void HeapSpace::release(Chunk* chunk) {
  const std::size_t total_bytes = chunk->total_bytes();
  auto* const memory = reinterpret_cast<std::byte*>(chunk);
  const auto first = static_cast<std::size_t>(memory - start_) / kChunkBytes;
  chunk->~Chunk();
  // Mapped anew in place, so that neither pages nor the right to have them are held. Where the system has no
  // place to note that, the pages are given back alone.
  if (mmap(memory, total_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
      MAP_FAILED)
    madvise(memory, total_bytes, MADV_DONTNEED);
  mark_pieces(first, round_up(total_bytes, kChunkBytes) / kChunkBytes, Piece::free);
  search_from_ = std::min(search_from_, first);
}

}  // namespace jackdaw::heap
