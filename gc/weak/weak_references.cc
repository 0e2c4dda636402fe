#include "gc/weak/weak_references.h"

#include <cstdint>
#include <cstring>

#include "heap/chunk.h"

namespace jackdaw::gc {

bool WeakReferences::note_member(const void* slot) { return members_.note(const_cast<void*>(slot)); }

bool WeakReferences::note_ephemeron(const EphemeronSlots& ephemeron) { return ephemerons_.note(ephemeron); }

void WeakReferences::clear_dead() {
  while (void* const slot = members_.take()) {
    // The pointer is read as bytes, because only the program knows its type.
    std::uintptr_t address = 0;
    std::memcpy(&address, slot, sizeof address);
    const auto* const object =
        reinterpret_cast<const heap::Object*>(map_.start_of_object_at(address));  // null: it was noted twice
    if (object != nullptr && !heap::Chunk::of(object)->is_marked(object))
      std::memset(slot, 0, sizeof address);
  }
  ephemerons_.clear_dead();
}

}  // namespace jackdaw::gc
