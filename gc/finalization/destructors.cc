#include "gc/finalization/destructors.h"

#include "gc/marking/layout_word.h"
#include "heap/chunk.h"
#include "heap/word.h"

namespace jackdaw::gc {

namespace {

// An object under construction has no destructor to call.
bool has_destructor(const heap::Object* object) {
  const TraceDescriptor* const type = TraceDescriptor::of(object);
  return type != nullptr && type->dead != nullptr;
}

void set_type(heap::Object* object, const TraceDescriptor* type) {
  heap::words_at(object)->bits = reinterpret_cast<std::uintptr_t>(type);
}

}  // namespace

constinit thread_local bool Destructors::is_running_ = false;

template <typename Function>
void Destructors::for_each_dead(heap::Heap& heap, Function function) {
  heap.for_each_unmarked(kind_, [&](heap::Object* object) {
    if (has_destructor(object)) function(object);
  });
}

// All dead objects wait, or none: an object that lives on must not refer to one that is destroyed.
void Destructors::prepare(heap::Heap& heap, Collection& collection) {
  std::size_t count = 0;
  for_each_dead(heap, [&](heap::Object*) { ++count; });
  if (objects_.reserve(objects_.size() + count)) return;
  for_each_dead(heap, [&](heap::Object* object) { collection.mark_further({&object, 1}); });
}

void Destructors::add_dead(heap::Heap& heap) {
  for_each_dead(heap, [&](heap::Object* object) {
    heap::Chunk::of(object)->mark_exclusively(object);
    set_type(object, TraceDescriptor::of(object)->dead);
    if (!objects_.append(object)) __builtin_unreachable();  // prepare() has made room
  });
}

void Destructors::destroy(heap::Object* object) { TraceDescriptor::of(object)->destroy(object + 1); }

void Destructors::note_destroyed(std::size_t index) {
  objects_[index] = nullptr;
  if (++destroyed_ < objects_.size()) return;
  objects_.clear();
  begun_ = 0;
  destroyed_ = 0;
}

}  // namespace jackdaw::gc
