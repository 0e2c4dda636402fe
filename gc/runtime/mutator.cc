#include "gc/runtime/mutator.h"

#include "base/check.h"

namespace jackdaw::gc {

Mutator::Mutator(Collector& collector) : collector_(collector), allocator_(collector.heap()) {
  collector_.register_mutator(this);
}

Mutator::~Mutator() {
  JACKDAW_CHECK(handles_ == nullptr);
  collector_.unregister_mutator(this);
}

CollectionResult Mutator::collect() { return collector_.collect_as_mutator(); }

heap::Object* Mutator::allocate_at_safepoint(const heap::TypeDescriptor& type, std::size_t bytes) {
  return retry_after_collecting([&] { return allocator_.allocate(type, bytes); });
}

heap::Object* Mutator::allocate_array(const heap::TypeDescriptor& type, std::uint64_t length) {
  heap::Object* const array = allocator_.allocate_array(type, length);
  if (array != nullptr) return array;
  return retry_after_collecting([&] { return allocator_.allocate_array(type, length); });
}

template <typename Attempt>
heap::Object* Mutator::retry_after_collecting(Attempt attempt) {
  for (;;) {
    const std::uint64_t collections = collector_.collections();
    // Another thread may have collected between the failure and the count, or be about to.
    collector_.wait_at_safepoint();
    if (heap::Object* const object = attempt()) return object;
    if (const auto object = collector_.collect_and_allocate(collections, attempt)) return *object;
  }
}

}  // namespace jackdaw::gc
