// Several objects at once, linked through their first words: gc.h, section 4, and gc_inline.h.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "gc/c/allocate.h"
#include "gc/c/kinds.h"
#include "gc/c/uncollectable.h"
#include "gc/process/threads/thread_registry.h"
#include "heap/layout.h"
#include "heap/size_classes.h"

namespace jackdaw::c_interface {

namespace {

void link(void* object, void* next) { std::memcpy(object, &next, sizeof next); }

// Prepends the objects of `bytes` bytes that are left of the thread's free run to `*list`. No collection may
// come in between, since it would not find those without pointers.
void prepend_at_hand(std::size_t bytes, heap::KindNumber kind, void** list) {
  gc::ProcessThread* const thread = gc::ThreadRegistry::current();
  if (thread == nullptr) return;
  const gc::ThreadRegistry::CriticalSection critical(*thread);
  const std::span<std::byte> slots = thread->allocator().take_run(bytes, kind);
  const std::size_t slot_bytes = heap::SizeClasses::slot_bytes(heap::SizeClasses::class_of(bytes));
  for (std::size_t end = slots.size(); end != 0; end -= slot_bytes) {
    std::byte* const object = &slots[end - slot_bytes];
    link(object, *list);
    *list = object;
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int GC_get_dont_add_byte_at_end() { return 0; }

void GC_generic_malloc_many(std::size_t bytes, int kind, void** list) {
  GC_init();
  const heap::KindNumber number = heap_kind(kind);
  const std::size_t least = std::max(bytes, sizeof(void*));
  void* const first = try_allocate_counted(least - extra_bytes, number);
  *list = first != nullptr ? first : out_of_memory(bytes);
  if (first == nullptr) return;
  link(first, nullptr);
  if (least <= heap::kLargestSmallBytes && !is_uncollectable(first)) prepend_at_hand(least, number, list);
}

void* GC_malloc_many(std::size_t bytes) {
  if (bytes >= heap::kLargestSmallBytes) return GC_malloc(bytes);
  GC_init();
  void* list = nullptr;
  GC_generic_malloc_many(bytes + extra_bytes, GC_I_NORMAL, &list);
  return list;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
