#include "gc/mutator.h"

#include <cassert>

namespace jackdaw::gc {

Mutator::Mutator(Collector& collector) : collector_(collector), allocator_(collector.heap()) {
  collector_.register_mutator(this);
}

Mutator::~Mutator() {
  assert(handles_ == nullptr);
  collector_.unregister_mutator(this);
}

CollectionResult Mutator::collect() {
  return collector_.collect_as_mutator(std::numeric_limits<std::uint64_t>::max());
}

heap::Object* Mutator::allocate_slowly(const heap::TypeDescriptor& type, std::size_t bytes) {
  return retry_after_collecting(bytes, [&] { return allocator_.allocate(type, bytes); });
}

heap::Object* Mutator::allocate_array(const heap::TypeDescriptor& type, std::uint64_t length) {
  heap::Object* const array = allocator_.allocate_array(type, length);
  if (array != nullptr) return array;
  return retry_after_collecting(length * heap::kWordBytes, [&] { return allocator_.allocate_array(type, length); });
}

template <typename Attempt>
heap::Object* Mutator::retry_after_collecting(std::uint64_t bytes, Attempt attempt) {
  do {
    const std::uint64_t collections = collector_.collections();
    // Another thread may have collected between the failure and the count.
    collector_.wait_at_safepoint();
    if (heap::Object* const object = attempt()) return object;
    collector_.collect_as_mutator(collections);
    if (heap::Object* const object = attempt()) return object;
    // The object takes more than the budget, or others have spent it: from here only the heap's limit counts.
    collector_.raise_budget(bytes);
    if (heap::Object* const object = attempt()) return object;
    // A thread that stops the world makes every allocation fail: that says nothing of memory.
  } while (collector_.collection_pending());
  return nullptr;
}

}  // namespace jackdaw::gc
