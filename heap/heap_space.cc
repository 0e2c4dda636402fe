#include "heap/heap_space.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/page_memory.h"
#include "base/sanitizers.h"
#include "heap/leak_sanitizer.h"

namespace jackdaw::heap {

namespace {

// A heap without a limit may take this many times the machine's memory: some of it may be swapped out, and
// chunks of different lengths leave gaps.
constexpr std::size_t kTimesMemory = 4;
constexpr std::size_t kLeastDefaultBytes = std::size_t{4} << 30;

// No system has larger pages.
constexpr std::size_t kLargestPageBytes = std::size_t{64} << 10;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// ThreadSanitizer allows mappings only in the highest terabyte and a half, and changes hints for other
// addresses to zero.
std::uintptr_t lowest_address() { return base::has_thread_sanitizer() ? 0x7e80'0000'0000 : kChunkBytes; }

// A chunk that was released keeps this many bytes mapped.
std::size_t header_bytes() { return round_up(kFirstBlock * kBlockBytes, base::page_bytes()); }

constexpr int kNothing = PROT_NONE;
constexpr int kMemory = PROT_READ | PROT_WRITE;

// Maps `bytes` bytes at an address where nothing is mapped, or, if that is null, where the system likes.
// Null, with errno, when that is not possible: EEXIST when something is mapped there.
std::byte* map_at(std::byte* address, std::size_t bytes, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const mapped =
      mmap(address, bytes, protection, flags | (address != nullptr ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (address == nullptr || mapped == address) return static_cast<std::byte*>(mapped);
  munmap(mapped, bytes);  // an old system took the address for a hint
  errno = EEXIST;
  return nullptr;
}

// Whether nothing is mapped there. Where the system does not give that many addresses at a time (RLIMIT_AS),
// only both ends are tried.
bool is_free(std::byte* start, std::size_t bytes) {
  if (map_at(start, bytes, kNothing) != nullptr) {
    munmap(start, bytes);
    return true;
  }
  return errno == ENOMEM && bytes > kLargestPageBytes && is_free(start, kLargestPageBytes) &&
         is_free(start + bytes - kLargestPageBytes, kLargestPageBytes);
}

// Returns where the system would map `bytes` bytes now, or null when it would not.
std::byte* next_mapping(std::size_t bytes) {
  std::byte* const mapped = map_at(nullptr, bytes, kNothing);
  if (mapped != nullptr) munmap(mapped, bytes);
  return mapped;
}

std::byte* aligned_up(std::byte* address) {
  return address + (-reinterpret_cast<std::uintptr_t>(address) & (kChunkBytes - 1));
}

// Each piece needs this much of the map's tables: an entry for each block, and a blacklist byte for each.
constexpr std::size_t kEntryBytes = kBlocksPerChunk * sizeof(std::uint64_t);
constexpr std::size_t kBlacklistBytes = kBlocksPerChunk;
// The tables grow by this many pieces at a time, which is by whole pages.
constexpr std::size_t kPiecesAtOnce = 64;

// Returns the bytes of addresses of chunks and tables.
constexpr std::size_t bytes_for(std::size_t pieces) {
  return pieces * (kChunkBytes + kEntryBytes + kBlacklistBytes) + kLargestPageBytes;
}

// Returns the start of `bytes` unmapped bytes, or null. The system places mappings from high addresses down,
// so the range is tried far below the present ones first, and otherwise anywhere.
std::byte* find_room(std::size_t bytes) {
  // The ranges of several heaps are kept apart, so that they can grow.
  const std::uintptr_t most_rooms = base::has_thread_sanitizer() ? 3 : 16;
  const std::uintptr_t part_left = base::has_thread_sanitizer() ? 1024 : 128;
  static std::atomic<std::uintptr_t> rooms{0};
  const std::size_t taken = round_up(bytes, kChunkBytes);
  std::byte* const last = next_mapping(kBlockBytes);
  const auto above = reinterpret_cast<std::uintptr_t>(last);
  for (std::uintptr_t tried = 0; tried < most_rooms; ++tried) {
    // Relaxed: any number will do.
    const std::uintptr_t room = rooms.fetch_add(1, std::memory_order_relaxed) % most_rooms;
    const std::uintptr_t below = above / part_left + (room + 1) * (taken + kChunkBytes);
    if (below >= above / 2 || above - below < lowest_address()) continue;
    std::byte* const start = aligned_up(last - below);
    if (is_free(start, taken)) return start;
  }
  std::byte* const anywhere = next_mapping(taken + kChunkBytes);
  return anywhere != nullptr ? aligned_up(anywhere) : nullptr;
}

// Finds a range for `pieces` pieces, or for fewer where there is less room.
std::span<std::byte> find_range(std::size_t pieces) {
  for (; pieces != 0; pieces /= 2) {
    if (std::byte* const start = find_room(bytes_for(pieces))) return {start, pieces * kChunkBytes};
  }
  throw std::bad_alloc();
}

// This is only advice: where the system refuses, the heap works with small pages.
void advise_huge_pages(std::span<std::byte> memory, bool asks) {
  if (!memory.empty()) madvise(memory.data(), memory.size(), asks ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

std::span<std::byte> map_or_throw(std::size_t bytes) {
  const std::span<std::byte> memory = base::PageMemory::allocate(bytes);
  if (memory.empty()) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::size_t HeapSpace::default_bytes() {
  const auto memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * base::page_bytes();
  return std::bit_ceil(std::max(kTimesMemory * memory, kLeastDefaultBytes));
}

HeapSpace::HeapSpace(std::size_t bytes, const KindTable& kinds, const MemoryNodes& nodes)
    : range_(find_range(round_up(bytes, kChunkBytes) / kChunkBytes)),
      pieces_(reinterpret_cast<Piece*>(map_or_throw(range_.size() / kChunkBytes * sizeof(Piece)).data()),
              range_.size() / kChunkBytes),
      map_(reinterpret_cast<std::uintptr_t>(range_.data()),
           {reinterpret_cast<std::uint64_t*>(entries_of(0, 0).data()), 0},
           reinterpret_cast<std::uint8_t*>(blacklist_of(0, 0).data())),
      kinds_(kinds),
      nodes_(nodes) {
  if (!cover(1)) {
    base::PageMemory::release(std::as_writable_bytes(pieces_));
    throw std::bad_alloc();
  }
  show_to_leak_sanitizer(range_);
}

HeapSpace::~HeapSpace() {
  hide_from_leak_sanitizer(range_);
  for (std::size_t piece = 0; piece < covered_;) {
    const bool is_taken = pieces_[piece].state == PieceState::taken;
    const std::size_t bytes =
        is_taken ? reinterpret_cast<Chunk*>(address_of(piece))->total_bytes() : kChunkBytes;
    if (is_taken) base::PageMemory::release({address_of(piece), bytes});
    if (pieces_[piece].has_header) base::PageMemory::release({address_of(piece), header_bytes()});
    piece += round_up(bytes, kChunkBytes) / kChunkBytes;
  }
  base::PageMemory::release(entries_of(0, covered_));
  base::PageMemory::release(blacklist_of(0, covered_));
  base::PageMemory::release(std::as_writable_bytes(pieces_));
}

std::span<std::byte> HeapSpace::entries_of(std::size_t first, std::size_t end) const {
  return {range_.data() + range_.size() + first * kEntryBytes, (end - first) * kEntryBytes};
}

std::span<std::byte> HeapSpace::blacklist_of(std::size_t first, std::size_t end) const {
  std::byte* const start = entries_of(pieces_.size(), pieces_.size()).data();
  const std::size_t to_page = -reinterpret_cast<std::uintptr_t>(start) & (kLargestPageBytes - 1);
  return {start + to_page + first * kBlacklistBytes, (end - first) * kBlacklistBytes};
}

// Makes the map cover at least `pieces` pieces. False when there is no memory for that.
bool HeapSpace::cover(std::size_t pieces) {
  if (pieces <= covered_) return true;
  const std::size_t end = std::min(round_up(pieces, kPiecesAtOnce), pieces_.size());
  const std::span<std::byte> entries = entries_of(covered_, end);
  const std::span<std::byte> blacklisted = blacklist_of(covered_, end);
  if (map_at(entries.data(), entries.size(), kMemory) == nullptr) return false;
  if (map_at(blacklisted.data(), blacklisted.size(), kMemory) == nullptr) {
    base::PageMemory::release(entries);
    return false;
  }
  covered_ = end;
  map_.extend(covered_ * kBlocksPerChunk);
  return true;
}

std::size_t HeapSpace::piece_at(const void* address) const {
  return static_cast<std::size_t>(static_cast<const std::byte*>(address) - range_.data()) / kChunkBytes;
}

std::size_t HeapSpace::find_free(std::size_t count) const {
  std::size_t run = 0;
  for (std::size_t piece = search_from_; piece < pieces_.size(); ++piece) {
    run = pieces_[piece].state == PieceState::free ? run + 1 : 0;
    if (run == count) return piece + 1 - count;
  }
  return pieces_.size();
}

void HeapSpace::mark_pieces(std::size_t first, std::size_t count, PieceState state) {
  std::fill_n(pieces_.begin() + static_cast<std::ptrdiff_t>(first), count, Piece{state, false});
}

void HeapSpace::try_occupied_again() {
  for (Piece& piece : pieces_) {
    if (piece.state == PieceState::occupied) piece.state = PieceState::free;
  }
  occupied_ = 0;
  search_from_ = 0;
}

// Calls `function(std::span<std::byte>)` for each range from `begin` to `end` without the header of a
// released chunk, until it returns false. Returns where that range begins, or `end`.
template <typename Function>
std::byte* HeapSpace::for_each_gap(std::byte* begin, std::byte* end, Function function) const {
  while (begin < end) {
    std::size_t piece = piece_at(begin);
    if (pieces_[piece].has_header && begin == address_of(piece)) {
      begin += header_bytes();
      continue;
    }
    while (address_of(++piece) < end && !pieces_[piece].has_header) continue;
    std::byte* const gap_end = std::min(end, address_of(piece));
    if (!function(std::span(begin, gap_end))) return begin;
    begin = gap_end;
  }
  return end;
}

// Maps what is not mapped from `begin` to `end`, and unmaps the part behind `end` of a header left there.
// Returns `end`, or, with errno and nothing changed, where that failed.
std::byte* HeapSpace::map_gaps(std::byte* begin, std::byte* end) const {
  std::byte* const reached = for_each_gap(begin, end, [](std::span<std::byte> gap) {
    return map_at(gap.data(), gap.size(), kMemory) != nullptr;
  });
  const int error = errno;
  const auto unmap = [](std::span<std::byte> memory) { return munmap(memory.data(), memory.size()) == 0; };
  if (reached != end) {
    for_each_gap(begin, reached, unmap);
  } else if (const std::size_t last = piece_at(end - 1); pieces_[last].has_header) {
    std::byte* const header_end = address_of(last) + header_bytes();
    if (end < header_end) unmap({end, header_end});
  }
  errno = error;
  return reached;
}

// Maps the neighbouring pieces that total_bytes need. Returns the first of them, or pieces_.size() when there
// is no memory or no room.
std::size_t HeapSpace::map_pieces(std::size_t total_bytes) {
  const std::size_t count = round_up(total_bytes, kChunkBytes) / kChunkBytes;
  if (count > pieces_.size()) return pieces_.size();
  for (bool tries_again = occupied_ != 0;;) {
    while (search_from_ < pieces_.size() && pieces_[search_from_].state != PieceState::free) ++search_from_;
    const std::size_t first = find_free(count);
    if (first != pieces_.size()) {
      if (!cover(first + count)) return pieces_.size();
      std::byte* const end = address_of(first) + total_bytes;
      const std::byte* const reached = map_gaps(address_of(first), end);
      if (reached == end) {
        mark_pieces(first, count, PieceState::taken);
        return first;
      }
      if (errno != EEXIST) return pieces_.size();
      pieces_[piece_at(reached)].state = PieceState::occupied;
      ++occupied_;
    } else if (std::exchange(tries_again, false)) {
      try_occupied_again();
    } else {
      return pieces_.size();
    }
  }
}

Chunk* HeapSpace::allocate(std::size_t least_bytes, std::uint32_t node) {
  const std::size_t total_bytes = round_up(least_bytes, base::page_bytes());
  const std::size_t first = map_pieces(total_bytes);
  if (first == pieces_.size()) return nullptr;
  std::byte* const memory = address_of(first);
  nodes_.place({memory, total_bytes}, node);
  const auto make = [&](HugePages* huge_pages) {
    return new (memory) Chunk(total_bytes, node, map_, kinds_, huge_pages);
  };
  if (!huge_pages_.are_allowed()) advise_huge_pages({memory, total_bytes}, false);
  // The first chunk has no huge pages, so that a small heap takes no more memory than it writes to.
  if (first == 0) return make(nullptr);
  const bool asks = huge_pages_.are_wanted();
  const bool holds_one_object = total_bytes > kChunkBytes;
  if (asks)
    advise_huge_pages({memory, holds_one_object ? total_bytes : std::min(total_bytes, HugePages::kBytes)},
                      true);
  const auto make_and_time = [&](HugePages* huge_pages) {
    return asks ? huge_pages_.time([&] { return make(huge_pages); }) : make(huge_pages);
  };
  if (holds_one_object) return make_and_time(nullptr);
  Chunk* const chunk = make_and_time(&huge_pages_);
  chunk->plan_.note_decision(0, asks);
  return chunk;
}

bool HeapSpace::extend(Chunk* chunk, std::size_t least_bytes) {
  const std::size_t total_bytes = round_up(least_bytes, base::page_bytes());
  const std::size_t before = chunk->total_bytes();
  auto* const start = reinterpret_cast<std::byte*>(chunk);
  const std::size_t first = piece_at(chunk);
  const std::size_t old_end = first + round_up(before, kChunkBytes) / kChunkBytes;
  const std::size_t end = first + round_up(total_bytes, kChunkBytes) / kChunkBytes;
  if (end > pieces_.size() || !cover(end)) return false;
  for (std::size_t piece = old_end; piece < end; ++piece) {
    if (pieces_[piece].state != PieceState::free) return false;
  }
  const std::span<std::byte> more{start + before, total_bytes - before};
  if (map_gaps(start + before, start + total_bytes) != start + total_bytes) return false;
  advise_huge_pages(more, huge_pages_.are_allowed());
  nodes_.place(more, chunk->node());
  mark_pieces(old_end, end - old_end, PieceState::taken);
  chunk->extend(total_bytes);
  return true;
}

void HeapSpace::release(Chunk* chunk) {
  const std::size_t total_bytes = chunk->total_bytes();
  auto* const memory = reinterpret_cast<std::byte*>(chunk);
  const std::size_t first = piece_at(chunk);
  chunk->~Chunk();
  // The header is cleared before the rest is unmapped: a thread that finds an object in it finds its memory,
  // too. Locked memory is not given back.
  const std::size_t header = header_bytes();
  if (!base::PageMemory::discard(memory, header)) std::memset(memory, 0, header);
  // Where the system has no memory to note the gap, only the pages are given back, and the addresses are
  // found occupied when they are wanted again.
  if (munmap(memory + header, total_bytes - header) != 0)
    madvise(memory + header, total_bytes - header, MADV_DONTNEED);
  mark_pieces(first, round_up(total_bytes, kChunkBytes) / kChunkBytes, PieceState::free);
  pieces_[first].has_header = true;
  search_from_ = std::min(search_from_, first);
}

}  // namespace jackdaw::heap
