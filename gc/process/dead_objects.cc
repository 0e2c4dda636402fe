#include "gc/process/dead_objects.h"

#include <atomic>
#include <cstddef>

#include "base/check.h"
#include "gc/marking/visitor.h"
#include "heap/chunk.h"
#include "heap/object.h"

namespace jackdaw::gc {

void DeadObjects::mark_more(void (*report)(Visitor& visitor)) {
  struct {
    WeakProcessing& marking;
    bool has_found = false;
    void reference(heap::Object* object) {
      has_found = has_found || !WeakProcessing::is_marked(object);
      marking.mark(object);
    }
  } sink{weak_processing_};
  do {
    sink.has_found = false;
    {
      SinkVisitor visitor(heap_.map(), sink);
      report(visitor);
    }
    weak_processing_.drain();
  } while (sink.has_found);
}

void DeadObjects::process() {
  disclaim_procedures_.mark_referents(heap_, weak_processing_);
  process_finalization();
  clear_dead();
  disclaim_procedures_.hold_dead(heap_);
}

void DeadObjects::process_finalization() {
  if (heap_.take_objects_ended()) finalization_.forget_freed(weak_processing_);
  const std::size_t before = finalization_.finalizers.registered();
  finalization_.process(weak_processing_, java_finalization_);
  finalizers_before_ = finalization_.finalizers.registered();
  finalized_lately_ = finalizers_before_ < before;
}

void DeadObjects::drop() {
  const auto keep = [](heap::Object* object) { heap::Chunk::of(object)->mark_exclusively(object); };
  heap_.withdraw_uncollectable_slots();
  heap_.for_each_uncollectable(keep);
  destructors_.for_each_waiting(keep);
  if (heap_.take_objects_ended()) finalization_.forget_freed(weak_processing_);
  finalization_.drop(weak_processing_);
  finalizers_before_ = 0;
  finalized_lately_ = false;
  weak_references_.forget();
  clear_weak_persistents();
}

void DeadObjects::clear_dead() {
  destructors_.prepare(heap_, collection_);
  weak_references_.clear_dead();
  clear_weak_persistents();
  destructors_.add_dead(heap_);
}

// Persistent handles of dead objects become null here, before the objects' memory is reused.
void DeadObjects::clear_weak_persistents() {
  weak_persistents_.for_each([this](PersistentNodes::Node& node) {
    // Relaxed, both: see PersistentNodes::Node.
    const std::uintptr_t start = heap_.map().start_of_object_at(node.word.load(std::memory_order_relaxed));
    const auto* const object = reinterpret_cast<const heap::Object*>(start);
    JACKDAW_CHECK(object != nullptr);
    if (!heap::Chunk::of(object)->is_marked(object)) node.word.store(0, std::memory_order_relaxed);
  });
}

std::uint64_t DeadObjects::new_finalizers() const {
  const std::uint64_t registered = finalization_.finalizers.registered();
  return finalized_lately_ && registered > finalizers_before_ ? registered - finalizers_before_ : 0;
}

}  // namespace jackdaw::gc
