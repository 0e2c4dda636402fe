#include "gc/c/dead_places.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/page_memory.h"
#include "gc/c/checked_objects.h"
#include "gc/process/poisoning.h"

namespace jackdaw::c_interface {

namespace {

// An object's entry follows from its address. A later object may overwrite it, and its place is then unknown.
struct DeadPlace {
  std::atomic<const heap::Object*> object;
  std::atomic<const char*> file;
  std::atomic<int> line;
};
constexpr unsigned kEntryBits = 16;
constinit DeadPlace* dead_places = nullptr;  // in pages from the system, so that it is no root

DeadPlace& entry_of(const heap::Object* object) {
  constexpr std::uint64_t kSpread = 0x9e37'79b9'7f4a'7c15;
  return dead_places[reinterpret_cast<std::uintptr_t>(object) * kSpread >> (64 - kEntryBits)];
}

// Relaxed, here and below: a concurrent write makes the place wrong at worst.
void note_place(const heap::Object* object) {
  if (!is_checked(object)) return;
  const SourcePlace& place = reinterpret_cast<const CheckedHeader*>(object)->place;
  DeadPlace& entry = entry_of(object);
  entry.object.store(object, std::memory_order_relaxed);
  entry.file.store(place.file, std::memory_order_relaxed);
  entry.line.store(place.line, std::memory_order_relaxed);
}

gc::Poisoning::Place noted_place(const heap::Object* dead) {
  const DeadPlace& entry = entry_of(dead);
  if (entry.object.load(std::memory_order_relaxed) != dead) return {};
  return {entry.file.load(std::memory_order_relaxed), entry.line.load(std::memory_order_relaxed)};
}

}  // namespace

void remember_dead_places(heap::Poison& poison) {
  const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(DeadPlace) << kEntryBits);
  if (memory.empty()) return;
  dead_places = reinterpret_cast<DeadPlace*>(memory.data());
  gc::Poisoning::set_place_of(noted_place);
  poison.watch_deaths(note_place);
}

}  // namespace jackdaw::c_interface
