#include "gc/finalization/disclaim_procedures.h"

#include <utility>

#include "heap/chunk.h"

namespace jackdaw::gc {

// Release, twice: pairs with the acquires in for_each_kind, so that the kind's other fields are seen.
void DisclaimProcedures::set(heap::KindNumber kind, Procedure procedure, bool keeps_referents) {
  OfKind& of_kind = of_kinds_[static_cast<std::size_t>(kind)];
  of_kind.keeps_referents.store(keeps_referents, std::memory_order_relaxed);
  of_kind.procedure.store(procedure, std::memory_order_release);
  if (procedure != nullptr) has_any_.store(true, std::memory_order_release);
}

// Relaxed, both: the other kind's fields were set before a variant of it was requested.
void DisclaimProcedures::inherit(heap::KindNumber kind, heap::KindNumber from) {
  set(kind, of(from).procedure.load(std::memory_order_relaxed),
      of(from).keeps_referents.load(std::memory_order_relaxed));
}

// Calls `function(KindNumber, const OfKind&)` for each kind that has a procedure.
template <typename Function>
void DisclaimProcedures::for_each_kind(const heap::Heap& heap, Function function) const {
  if (!has_any_.load(std::memory_order_acquire)) return;
  for (std::size_t number = 0; number < heap.kinds().count(); ++number) {
    const auto kind = static_cast<heap::KindNumber>(number);
    if (of(kind).procedure.load(std::memory_order_acquire) != nullptr && heap.kinds()[kind].is_collectable)
      function(kind, of(kind));
  }
}

// Free slots are withdrawn before links are cleared: a link may lie in the word that chains a freed slot to
// the next. An object's references to itself do not count, or it would keep itself alive for ever.
void DisclaimProcedures::mark_referents(heap::Heap& heap, WeakProcessing& marking) const {
  bool is_withdrawn = false;
  for_each_kind(heap, [&](heap::KindNumber kind, const OfKind& of_kind) {
    if (!std::exchange(is_withdrawn, true)) heap.withdraw_free_slots();
    // Relaxed: see set.
    if (!of_kind.keeps_referents.load(std::memory_order_relaxed)) return;
    heap.for_each_unmarked(
        kind, [&](heap::Object* object) { marking.mark_references_of(object, SelfReferences::ignored); });
  });
  marking.drain();
}

// An object that there is no memory to note lives on, and is found dead again by the next collection.
void DisclaimProcedures::hold_dead(heap::Heap& heap) {
  for_each_kind(heap, [&](heap::KindNumber kind, const OfKind&) {
    heap.for_each_unmarked(kind, [&](heap::Object* object) {
      static_cast<void>(held_.append(object));
      heap::Chunk::of(object)->mark_exclusively(object);
    });
  });
}

void DisclaimProcedures::unmark_held() const {
  for (heap::Object* const object : held_.span()) heap::Chunk::of(object)->unmark(object);
}

bool DisclaimProcedures::gives_up(heap::Object* object) const {
  const OfKind& of_kind = of(heap::Chunk::of(object)->kind_of(object));
  // Relaxed: it was read before, when the object was noted.
  const Procedure procedure = of_kind.procedure.load(std::memory_order_relaxed);
  return procedure == nullptr || procedure(object) == 0;
}

}  // namespace jackdaw::gc
