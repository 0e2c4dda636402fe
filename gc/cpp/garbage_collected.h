// GarbageCollected: the base of types whose objects the collector frees.
//
//   class Node : public GarbageCollected<Node> {
//    public:
//     void Trace(Visitor* visitor) const { visitor->Trace(next_); }
//    private:
//     Member<Node> next_;
//   };
//
// Only MakeGarbageCollected makes such objects (gc/cpp/make_garbage_collected.h).
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/export.h"

namespace jackdaw {

class Visitor;

namespace internal {

/// Ends the program with a line about the object.
[[noreturn]] JACKDAW_EXPORT void end_for_delete(const void* object);

class GarbageCollectedBase {
 public:
  void* operator new(std::size_t) = delete;
  void* operator new[](std::size_t) = delete;
  /// Declared because virtual destructors refer to it. Only the collector frees objects.
  void operator delete(void* object) { end_for_delete(object); }
  void operator delete[](void*) = delete;
};

}  // namespace internal

/// The base of a type T and so of all types derived from T. It must be at the start of T. T has a function
/// `void Trace(Visitor*) const`, virtual or not, that reports all its members, and those of its bases, that
/// refer to collected objects (gc/cpp/visitor.h). A derived type that adds such members has its own Trace.
template <typename T>
class GarbageCollected : public internal::GarbageCollectedBase {};

/// A base of types whose objects refer to no collected object: they need no Trace, and marking does not read
/// their objects.
template <typename T>
class GarbageCollectedLeaf : public internal::GarbageCollectedBase {
 public:
  void Trace(Visitor*) const {}
};

/// A base class of collected objects that is not their first one: a Member may refer to it, and keeps the
/// whole object. The derived type's Trace calls its Trace.
class GarbageCollectedMixin {
 public:
  virtual void Trace(Visitor*) const {}

 protected:
  ~GarbageCollectedMixin() = default;
};

namespace internal {

template <typename T>
inline constexpr bool kIsGarbageCollected = std::is_base_of_v<GarbageCollectedBase, T>;
template <typename T>
inline constexpr bool kIsMixin = !kIsGarbageCollected<T> && std::is_base_of_v<GarbageCollectedMixin, T>;
template <typename T>
inline constexpr bool kIsLeaf = std::is_base_of_v<GarbageCollectedLeaf<T>, T>;

}  // namespace internal

}  // namespace jackdaw
