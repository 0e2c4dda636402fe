// Mutator: one thread of the program, as the collector sees it.
//
// It allocates without a lock, and stops at safepoints: every allocation that needs a new block is one. A
// thread that computes for long without allocating calls safepoint() itself, or declares itself blocked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/export.h"
#include "gc/runtime/collector.h"
#include "heap/allocator.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"

namespace jackdaw::gc {

class Handle;

/// Made, used and destroyed on one thread, which takes part in stopping the world while it exists. References
/// that the thread holds across a safepoint must be in Handles or registered roots. The collector must
/// outlive it.
class Mutator {
 public:
  JACKDAW_EXPORT explicit Mutator(Collector& collector);
  /// All Handles of the mutator must be gone.
  JACKDAW_EXPORT ~Mutator();
  Mutator(const Mutator&) = delete;
  Mutator& operator=(const Mutator&) = delete;

  /// Returns a cleared object of `bytes` bytes, header included, or null when there is no memory even after a
  /// collection. May collect.
  heap::Object* allocate(const heap::TypeDescriptor& type, std::size_t bytes) {
    heap::Object* const object = allocator_.allocate(type, bytes);
    return object != nullptr ? object : allocate_at_safepoint(type, bytes);
  }
  /// Returns a cleared object of a type whose objects have one size.
  heap::Object* allocate(const heap::TypeDescriptor& type) { return allocate(type, type.object_bytes()); }
  /// Returns an array of `length` null references, or null when there is no memory even after a collection.
  JACKDAW_EXPORT heap::Object* allocate_array(const heap::TypeDescriptor& type, std::uint64_t length);

  /// Collects now, after a collection of another thread, if any, is over.
  JACKDAW_EXPORT CollectionResult collect();
  /// Stops here while another thread collects, and costs one load otherwise.
  void safepoint() {
    if (collector_.is_stop_requested()) [[unlikely]]
      collector_.wait_at_safepoint();
  }

  /// While it exists, the thread does not touch the heap (it waits, or is in a system call), and collections
  /// do not wait for it. Its destructor waits for a collection under way.
  class Blocked {
   public:
    explicit Blocked(Mutator& mutator) : collector_(mutator.collector_) { collector_.leave_running(); }
    ~Blocked() { collector_.enter_running(); }
    Blocked(const Blocked&) = delete;
    Blocked& operator=(const Blocked&) = delete;

   private:
    Collector& collector_;
  };

 private:
  friend class Collector;
  friend class Handle;

  template <typename Attempt>
  heap::Object* retry_after_collecting(Attempt attempt);
  JACKDAW_EXPORT heap::Object* allocate_at_safepoint(const heap::TypeDescriptor& type, std::size_t bytes);

  Collector& collector_;
  heap::Allocator allocator_;
  Handle* handles_ = nullptr;  // the newest of the linked handles
};

/// A root on the stack: the object it refers to is live while it exists. Belongs to one mutator and its
/// thread.
class Handle {
 public:
  explicit Handle(Mutator& mutator, heap::Object* object = nullptr)
      : object_(object), mutator_(mutator), next_(mutator.handles_) {
    if (next_ != nullptr) next_->previous_ = this;
    mutator.handles_ = this;
  }
  ~Handle() {
    (previous_ != nullptr ? previous_->next_ : mutator_.handles_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(heap::Object* object) {
    object_ = object;
    return *this;
  }

  [[nodiscard]] heap::Object* get() const { return object_; }
  heap::Object* operator->() const { return object_; }

 private:
  friend class Collector;

  heap::Object* object_;
  Mutator& mutator_;
  Handle* next_;
  Handle* previous_ = nullptr;
};

}  // namespace jackdaw::gc
