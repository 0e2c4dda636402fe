#include "gc/process/destructors.h"

#include <mutex>

#include "gc/marking/layout_word.h"
#include "gc/process/process_collector.h"
#include "gc/process/process_kinds.h"
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

template <typename Function>
void for_each_dead(heap::Heap& heap, Function function) {
  heap.for_each_unmarked(ProcessKinds::kDestroyed, [&](heap::Object* object) {
    if (has_destructor(object)) function(object);
  });
}

constinit thread_local bool is_running = false;

}  // namespace

// All or nothing: an object that lives on must not refer to one that is destroyed.
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
    if (!objects_.append(object)) __builtin_unreachable();  // prepare() made room
  });
}

void Destructors::run(ProcessCollector& collector) {
  if (is_running) return;
  is_running = true;
  for (std::size_t index = 0; (index = begin_next(collector)) != kNone;) destroy(collector, index);
  is_running = false;
}

std::size_t Destructors::begin_next(ProcessCollector& collector) {
  const std::lock_guard lock(collector.lock());
  return begun_ == objects_.size() ? kNone : begun_++;
}

void Destructors::destroy(ProcessCollector& collector, std::size_t index) {
  heap::Object* object = nullptr;
  {
    const std::lock_guard lock(collector.lock());
    object = objects_[index];
  }
  TraceDescriptor::of(object)->destroy(object + 1);
  // In one piece, as seen by collections: what waits is an object, and what is free does not wait.
  const std::lock_guard lock(collector.lock());
  collector.free(object);
  objects_[index] = nullptr;
  if (++destroyed_ < objects_.size()) return;
  objects_.clear();
  begun_ = 0;
  destroyed_ = 0;
}

}  // namespace jackdaw::gc
