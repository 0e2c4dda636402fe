#include "gc/process/snapshot_marking.h"

#include <span>

#include "heap/chunk.h"

namespace jackdaw::gc {

SnapshotMarking::SnapshotMarking(heap::Heap& heap, WeakReferences& weak_references)
    : heap_(heap), weak_references_(weak_references), model_({heap.map(), &weak_references}) {
  weak_references_.forget();
  heap_.clear_marks();
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void SnapshotMarking::add_words(heap::Words words,
                                                                                      bool all_count) {
  for (const heap::Word& word : words) {
    heap::Object* const object = all_count ? heap::slot_at_any_word(heap_.map(), word.bits)
                                           : heap::slot_at_word(heap_.map(), word.bits);
    if (object != nullptr) mark(object);
  }
  visit_all();
}

void SnapshotMarking::add_object(std::uintptr_t, std::uintptr_t address) {
  if (heap::Object* const object = heap::slot_at_any_word(heap_.map(), address)) mark(object);
  visit_all();
}

bool SnapshotMarking::finish() {
  heap_.for_each_uncollectable([this](heap::Object* object) { mark(object); });
  visit_all();
  weak_references_.ephemerons().mark_values([this](std::span<heap::Object* const> values) {
    for (heap::Object* const value : values) mark(value);
    visit_all();
  });
  return !has_failed_;
}

// A free slot has its mark set.
void SnapshotMarking::mark(heap::Object* object) {
  if (!heap::Chunk::of(object)->mark_exclusively(object)) return;
  if (!HeapObjectModel::is_leaf(object)) push(HeapObjectModel::task_of(object));
}

void SnapshotMarking::visit_all() {
  Sink sink{*this};
  while (!tasks_.empty()) model_.visit(tasks_.take_last(), sink);
}

}  // namespace jackdaw::gc
