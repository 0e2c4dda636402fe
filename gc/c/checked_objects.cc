#include "gc/c/checked_objects.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <optional>

#include "gc/c/allocate.h"
#include "gc/c/kinds.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/c/uncollectable.h"

namespace jackdaw::c_interface {

namespace {

// Eight of them, read as an address, lie outside all addresses that programs have.
constexpr std::byte kBackGuard{0xdb};
constexpr std::size_t kBackGuardBytes = 8;

struct Smashed {
  CheckedHeader header;
  const void* start;
  bool is_behind;  // the write was behind the object, not before it
};

// The smashed objects that a collection found, reported when the threads run again. The collector's lock
// guards them.
constinit std::array<Smashed, 16> noted{};
constinit std::size_t noted_count = 0;
// Whether any checked object was ever allocated.
constinit std::atomic<bool> are_there{false};

// A checked object is this much longer than the program asked for: the back guard begins at a whole word, and
// the bytes before it in the last word are the program's, as in libgc.
constexpr std::size_t kMoreBytes = sizeof(CheckedHeader) + heap::kWordBytes - 1 + kBackGuardBytes;

std::span<std::byte> back_guard_of(CheckedHeader& header) {
  const std::size_t words_end = (header.bytes + heap::kWordBytes - 1) & ~(heap::kWordBytes - 1);
  return {header.start() + words_end, kBackGuardBytes};
}

bool has_right_size(CheckedHeader& header) {
  const std::size_t whole = heap::Heap::bytes_of(reinterpret_cast<heap::Object*>(&header));
  return header.bytes <= whole && whole - header.bytes >= kMoreBytes;
}

// Returns what was smashed, or nothing when both guards are intact.
std::optional<Smashed> smashed(CheckedHeader& header) {
  if (header.front_guard == 0) return std::nullopt;
  if (header.front_guard != CheckedHeader::kFrontGuard || !has_right_size(header))
    return Smashed{header, header.start(), false};
  const auto is_intact = [](std::byte byte) { return byte == kBackGuard; };
  if (std::ranges::all_of(back_guard_of(header), is_intact)) return std::nullopt;
  return Smashed{header, header.start(), true};
}

// If the front guard was overwritten, the header before it cannot be trusted.
void report(const Smashed& object) {
  if (!object.is_behind) {
    log_line("jackdaw: something wrote before the start of the object at %p", object.start);
    return;
  }
  const SourcePlace& place = object.header.place;
  log_line("jackdaw: something wrote behind the end of the object at %p, of %zu bytes, allocated at %s:%d",
           object.start, object.header.bytes, place.file != nullptr ? place.file : "unknown", place.line);
}

bool is_checked_kind(heap::KindNumber kind) { return is_variant(kind, KindVariant::checked); }

}  // namespace

void* allocate_checked(std::size_t bytes, heap::KindNumber kind, SourcePlace place,
                       heap::LargeAddresses addresses) {
  GC_init();
  if (gc::OwnWork::is_under_way()) return gc::OwnMemory::allocate(bytes);
  void* const memory =
      bytes > std::numeric_limits<std::size_t>::max() - kMoreBytes
          ? nullptr
          : try_allocate_counted(bytes + kMoreBytes, variant_of(kind, KindVariant::checked), addresses);
  if (memory == nullptr) return out_of_memory(bytes);
  // Relaxed: a collection that misses it only skips one search.
  are_there.store(true, std::memory_order_relaxed);
  auto& header = *new (memory) CheckedHeader{place, bytes};
  std::ranges::fill(back_guard_of(header), kBackGuard);
  // A collection that comes here must see both guards or none.
  std::atomic_signal_fence(std::memory_order_release);
  header.front_guard = CheckedHeader::kFrontGuard;
  return header.start();
}

bool is_checked(const heap::Object* object) {
  return is_checked_kind(heap::Chunk::of(object)->kind_of(object));
}

CheckedHeader* checked_header_of(void* address) {
  heap::Object* const object = object_at(address);
  if (object == nullptr || !is_checked(object)) return nullptr;
  auto* const header = reinterpret_cast<CheckedHeader*>(object);
  return header->start() == address && header->front_guard != 0 ? header : nullptr;
}

void report_if_smashed(CheckedHeader& header) {
  if (const std::optional<Smashed> found = smashed(header)) report(*found);
}

void note_smashed_objects() {
  noted_count = 0;
  // Relaxed: see allocate_checked.
  if (!are_there.load(std::memory_order_relaxed)) return;
  collector().heap().for_each_object_of(is_checked_kind, [](heap::Object* object) {
    const std::optional<Smashed> found = smashed(*reinterpret_cast<CheckedHeader*>(object));
    if (found && noted_count < noted.size()) noted[noted_count++] = *found;
  });
}

void report_noted_objects() {
  for (std::size_t index = 0; index < noted_count; ++index) report(noted[index]);
  noted_count = 0;
}

}  // namespace jackdaw::c_interface
