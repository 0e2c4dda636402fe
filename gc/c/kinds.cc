#include "gc/c/kinds.h"

#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "gc/c/allocate.h"
#include "gc/c/log.h"
#include "gc/c/object_start.h"
#include "gc/c/own_locks.h"
#include "gc/c/uncollectable.h"

namespace jackdaw::c_interface {

namespace {

using heap::KindNumber;

// A kind's variants and its origin; zero, which is no kind of the interface, stands for none.
struct KindVariants {
  std::array<std::atomic<KindNumber>, kKindVariants> variants{};
  std::atomic<KindNumber> origin{};  // the kind that it is a variant of
};

constinit std::array<KindVariants, heap::KindTable::kMaximumKinds> variants_of_kinds{};

constexpr KindNumber kNone{};

std::atomic<KindNumber>& entry_of(KindNumber kind, KindVariant variant) {
  return variants_of_kinds[static_cast<std::size_t>(kind)].variants[static_cast<std::size_t>(variant)];
}

KindNumber add_kind(const heap::Kind& kind) {
  const std::optional<KindNumber> number =
      registered_collector().look_at_heap([&](heap::Heap& heap) { return heap.add_kind(kind); });
  if (!number) abort_program("there are too many kinds of objects");
  return *number;
}

heap::Kind changed(heap::Kind kind, KindVariant variant) {
  // A header that is not written yet must be zero, and so must objects that a collection reads before they
  // are handed out.
  kind.is_cleared =
      kind.is_cleared || variant == KindVariant::checked || kind.contents != heap::Contents::data;
  if (variant == KindVariant::uncollectable) kind.is_collectable = false;
  if (variant == KindVariant::checked) kind.is_checked = true;
  return kind;
}

// Returns a kind whose objects are marked by a descriptor, perhaps with their size added to it.
heap::Kind described(GC_word descriptor, bool adds_bytes, bool is_cleared) {
  heap::Kind kind;
  kind.is_cleared = is_cleared;
  if (descriptor == GC_DS_LENGTH) {
    kind.contents = adds_bytes ? heap::Contents::words : heap::Contents::data;
  } else {
    kind.contents = heap::Contents::by_kind;
    kind.layout = descriptor;
    kind.layout_adds_bytes = adds_bytes;
  }
  return kind;
}

}  // namespace

// Relaxed: it was written before the variant's number was published.
KindNumber origin_of(KindNumber kind) {
  return variants_of_kinds[static_cast<std::size_t>(kind)].origin.load(std::memory_order_relaxed);
}

int interface_number(KindNumber kind) {
  const KindNumber origin = origin_of(kind);
  if (origin != kNone) return interface_number(origin);
  if (kind == gc::ProcessKinds::kData) return GC_I_PTRFREE;
  if (kind == gc::ProcessKinds::kWords) return GC_I_NORMAL;
  return static_cast<int>(kind) - 2;
}

KindNumber variant_of(KindNumber kind, KindVariant variant) {
  std::atomic<KindNumber>& entry = entry_of(kind, variant);
  // Acquire: pairs with the release below, so that the kind and its origin are seen.
  if (const KindNumber made = entry.load(std::memory_order_acquire); made != kNone) return made;
  const std::lock_guard lock(own_locks.kinds);
  // Relaxed: it is written under this lock.
  if (const KindNumber made = entry.load(std::memory_order_relaxed); made != kNone) return made;
  if (variant == KindVariant::checked) GC_register_displacement(GC_get_debug_header_size());
  const KindNumber made = add_kind(changed(collector().heap().kinds()[kind], variant));
  variants_of_kinds[static_cast<std::size_t>(made)].origin.store(kind, std::memory_order_relaxed);
  collector().dead().disclaim_procedures().inherit(made, kind);
  entry.store(made, std::memory_order_release);
  return made;
}

bool is_variant(KindNumber kind, KindVariant variant) {
  const KindNumber origin = origin_of(kind);
  // Relaxed: a thread that knows the variant's number got it after the release in variant_of.
  return origin != kNone && entry_of(origin, variant).load(std::memory_order_relaxed) == kind;
}

// Objects of C++ types are not allocated through it.
bool may_die(KindNumber kind) {
  using gc::ProcessKinds;
  return kind >= ProcessKinds::kWords && kind != ProcessKinds::kTraced && kind != ProcessKinds::kDestroyed &&
         collector().heap().kinds()[kind].is_collectable;
}

#pragma GCC visibility push(default)
extern "C" {

unsigned GC_new_kind_inner(void**, GC_word descriptor, int add_size, int clear) {
  return static_cast<unsigned>(interface_number(add_kind(described(descriptor, add_size != 0, clear != 0))));
}

unsigned GC_new_kind(void** free_lists, GC_word descriptor, int add_size, int clear) {
  return GC_new_kind_inner(free_lists, descriptor, add_size, clear);
}

void* GC_malloc_kind(std::size_t bytes, int kind) {
  if (kind == GC_I_NORMAL) return allocate(bytes, gc::ProcessKinds::kWords);
  if (kind == GC_I_PTRFREE) return allocate(bytes, gc::ProcessKinds::kData);
  return allocate_counted(bytes, heap_kind(kind));
}

void* GC_malloc_kind_global(std::size_t bytes, int kind) { return GC_malloc_kind(bytes, kind); }

void* GC_generic_malloc(std::size_t bytes, int kind) { return GC_malloc_kind(bytes, kind); }

void* GC_generic_malloc_ignore_off_page(std::size_t bytes, int kind) {
  return allocate_counted(bytes, heap_kind(kind), heap::LargeAddresses::near_start);
}

void* GC_generic_malloc_uncollectable(std::size_t bytes, int kind) {
  const KindNumber number = heap_kind(kind);
  const bool is_collectable = collector().heap().kinds()[number].is_collectable;
  return allocate_uncollectable(bytes,
                                is_collectable ? variant_of(number, KindVariant::uncollectable) : number);
}

void* GC_generic_or_special_malloc(std::size_t bytes, int kind) { return GC_malloc_kind(bytes, kind); }

int GC_get_kind_and_size(const void* object, std::size_t* bytes) {
  if (bytes != nullptr) *bytes = GC_size(object);
  return interface_number(heap::Chunk::of(object)->kind_of(object));
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
