#include "gc/finalization/weak_processing.h"

#include "gc/marking/mark_task.h"
#include "gc/marking/object_model.h"

namespace jackdaw::gc {

namespace {

// Queues the references of one object. Parts of a big object are visited at once: they are halves of halves,
// so visits nest only a few deep.
class QueueingSink {
 public:
  QueueingSink(WeakProcessing& marking, const HeapObjectModel& model, const heap::Object* ignored)
      : marking_(marking), model_(model), ignored_(ignored) {}

  void reference(heap::Object* object) {
    if (object != ignored_) marking_.mark(object);
  }
  void task(MarkTask part) { model_.visit(part, *this); }

 private:
  WeakProcessing& marking_;
  const HeapObjectModel& model_;
  const heap::Object* ignored_;
};

}  // namespace

WeakProcessing::WeakProcessing(Collection& collection) : collection_(collection) {
  queue_.reserve_or_throw(kQueueLength);
}

void WeakProcessing::mark_references_of(heap::Object* object, SelfReferences self) {
  if (HeapObjectModel::is_leaf(object)) return;
  const HeapObjectModel model({collection_.heap().map(), collection_.weak_references()});
  QueueingSink sink(*this, model, self == SelfReferences::ignored ? object : nullptr);
  model.visit(HeapObjectModel::task_of(object), sink);
}

void WeakProcessing::drain() {
  if (queue_.empty()) return;
  collection_.mark_further(queue_.span());
  queue_.clear();
}

}  // namespace jackdaw::gc
