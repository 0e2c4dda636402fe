#include "gc/weak/ephemerons.h"

#include <cstdint>

#include "heap/chunk.h"

namespace jackdaw::gc {

Ephemerons::Ephemerons(const heap::BlockMap& map) : map_(map) { roots_.reserve_or_throw(kMaximumRoots); }

heap::Object* Ephemerons::object_of(const void* address) const {
  return reinterpret_cast<heap::Object*>(map_.start_of_object_at(reinterpret_cast<std::uintptr_t>(address)));
}

void Ephemerons::examine(const EphemeronSlots& ephemeron) {
  heap::Object* const key = object_of(ephemeron.key);
  heap::Object* const value = ephemeron.value == nullptr ? nullptr : object_of(ephemeron.value);
  const bool is_marked = heap::Chunk::of(key)->is_marked(key);
  if (!is_marked && let_wait(ephemeron, key, value)) return;
  // If there is no memory to let it wait, the ephemeron keeps both objects.
  if (!is_marked) roots_.append_reserved(key);
  if (value != nullptr) roots_.append_reserved(value);
}

bool Ephemerons::let_wait(const EphemeronSlots& ephemeron, const heap::Object* key, heap::Object* value) {
  if (!all_waiting_.append(const_cast<EphemeronSlots*>(&ephemeron))) return false;
  if (value == nullptr) return true;
  if (!waiting_.insert(key, value)) return false;
  heap::Chunk::of(key)->intercept_visits(key);
  return true;
}

void Ephemerons::clear_dead() {
  for (EphemeronSlots* const ephemeron : all_waiting_.span()) {
    const heap::Object* const key = object_of(ephemeron->key);
    if (key == nullptr) continue;  // it was noted twice
    heap::Chunk* const chunk = heap::Chunk::of(key);
    chunk->end_interception(key);
    if (!chunk->is_marked(key)) *ephemeron = {};
  }
  all_waiting_.clear();
  waiting_.clear();
}

}  // namespace jackdaw::gc
