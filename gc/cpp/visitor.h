// Visitor: what the Trace functions of collected objects report their members to.
//
//   void Trace(Visitor* visitor) const {
//     visitor->Trace(parent_);
//     visitor->Trace(children_);
//   }
//
// A Trace function reports each member that refers to collected objects, and calls those of its bases. It is
// called for every live object in every collection, on any mark thread, while all threads of the program
// stand still, each wherever it was: so it must not take a lock, ask for memory, change anything, or look at
// other objects, and it may find an object whose constructor has not come to an end or not begun, whose bytes
// are zero then. It is called by the exact type's name, not by way of virtual functions, and a reported
// reference costs no call.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gc/cpp/garbage_collected.h"
#include "gc/cpp/member.h"
#include "gc/cpp/object_address.h"
#include "gc/visitor.h"

namespace jackdaw {

class Visitor;

namespace internal {

/// Has a function that reports to a visitor.
template <typename T>
concept HasTrace = requires(const T& value, Visitor* visitor) {
  value.Trace(visitor);
};

}  // namespace internal

/// Given to Trace functions, which may not keep it.
class Visitor {
 public:
  explicit Visitor(gc::Visitor& marker) : marker_(marker) {}
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  template <typename T>
  void Trace(const Member<T>& member) {
    if (member.get() != nullptr) report(member.get());
  }

  /// Part of an object that has members of its own to report.
  template <internal::HasTrace T>
  void Trace(const T& part) {
    static_assert(!internal::kIsGarbageCollected<T>, "a collected object is no part of another: use Member");
    part.Trace(this);
  }

  template <typename T, std::size_t kCount>
  void Trace(const std::array<T, kCount>& parts) {
    for (const T& part : parts) Trace(part);
  }
  template <typename T, std::size_t kCount>
  void Trace(const T (&parts)[kCount]) {  // NOLINT(modernize-avoid-c-arrays): the program's
    for (const T& part : parts) Trace(part);
  }

 private:
  template <typename T>
  void report(const T* object) {
    if constexpr (internal::kIsGarbageCollected<T>) {
      marker_.reference(internal::start_of(object));
    } else {
      static_assert(internal::kIsMixin<T>, "a Member refers to a GarbageCollected type or a mixin");
      marker_.word(reinterpret_cast<std::uintptr_t>(object));
    }
  }

  gc::Visitor& marker_;
};

}  // namespace jackdaw
