// Visitor: receives the members that the Trace functions of collected objects report.
//
//   void Trace(Visitor* visitor) const {
//     visitor->Trace(parent_);
//     visitor->Trace(children_);
//   }
//
// A Trace function reports each member that refers to collected objects, and calls its bases' Trace. It runs
// for every live object in every collection, on any mark thread, while the program's threads are stopped at
// any instruction. So it must not take a lock, allocate, change anything, or read other objects; and the
// object's constructor may not have returned, or not have begun: its bytes are zero then. It is called by the
// exact type's name, never virtually, and a reported reference costs no call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "gc/cpp/ephemeron.h"
#include "gc/cpp/garbage_collected.h"
#include "gc/cpp/member.h"
#include "gc/cpp/object_address.h"
#include "gc/marking/visitor.h"
#include "gc/weak/weak_references.h"
#include "heap/chunk.h"
#include "heap/object.h"
#include "heap/word_scan.h"

namespace jackdaw {

class Visitor;

namespace internal {

/// Has a member function that reports to a visitor.
template <typename T>
concept HasTrace = requires(const T& value, Visitor* visitor) {
  value.Trace(visitor);
};

/// Whether values of a type may be searched word by word instead of being reported. A type with a Trace may
/// not, as it may have weak references, which a search would take for strong.
template <typename T>
inline constexpr bool kKeepsByWords = std::is_trivially_destructible_v<T> && !HasTrace<T>;
template <typename T>
inline constexpr bool kKeepsByWords<WeakMember<T>> = false;
template <typename Key, typename Value>
inline constexpr bool kKeepsByWords<Ephemeron<Key, Value>> = false;
template <typename First, typename Second>
inline constexpr bool kKeepsByWords<std::pair<First, Second>> =
    kKeepsByWords<std::remove_const_t<First>>&& kKeepsByWords<Second>;

}  // namespace internal

/// Passed to Trace functions, which must not keep it.
class Visitor {
 public:
  explicit Visitor(gc::Visitor& marker) : marker_(marker) {}
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  template <typename T>
  void Trace(const Member<T>& member) {
    report(member.get());
  }

  template <typename T>
  void Trace(const WeakMember<T>& member) {
    if (member.get() == nullptr) return;
    heap::Object* const object = start_of(member.get());
    if (!is_marked(object) && !marker_.weak_references().note_member(&member.object_))
      marker_.reference(object);
  }

  template <typename Key, typename Value>
  void Trace(const Ephemeron<Key, Value>& ephemeron) {
    if (ephemeron.key() == nullptr) return;
    heap::Object* const key = start_of(ephemeron.key());
    if (!is_marked(key)) {
      if (marker_.weak_references().note_ephemeron(ephemeron.slots_)) return;
      marker_.reference(key);
    }
    report(ephemeron.value());
  }

  /// Reports a part of the object that has members of its own.
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
  /// Reports those of the pair that can be reported; at least one can.
  template <typename First, typename Second>
  void Trace(const std::pair<First, Second>& parts) {
    static_assert(kCanTrace<First> || kCanTrace<Second>, "neither of the two leads to objects");
    if constexpr (kCanTrace<First>) Trace(parts.first);
    if constexpr (kCanTrace<Second>) Trace(parts.second);
  }
  /// Traces the words of an empty std::optional, too: a thread may be stopped between filling the value and
  /// setting the flag.
  template <typename T>
  void Trace(const std::optional<T>& part) {
    static_assert(internal::kKeepsByWords<T>, "a weak reference or a destructor: not in a std::optional");
    trace_words(&part, sizeof part);
  }

  /// Searches memory of the object that has no members: any aligned word may be the address of a collected
  /// object or of a place in one. The objects found are kept; no word is changed.
  void trace_words(const void* begin, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    for (const heap::Word word : heap::whole_words_between(address, address + bytes)) marker_.word(word.bits);
  }

  /// Whether a value of the type can be reported.
  template <typename T, typename ThisClass = Visitor>  // so that Visitor may still be incomplete
  static constexpr bool kCanTrace = requires(ThisClass& visitor, const T& value) {
    visitor.Trace(value);
  };

 private:
  template <typename T>
  static heap::Object* start_of(const T* object) {
    if constexpr (internal::kIsGarbageCollected<T>) {
      return internal::start_of(object);
    } else {
      return internal::start_of_object_with(object);
    }
  }
  template <typename T>
  void report(const T* object) {
    static_assert(internal::kIsGarbageCollected<T> || internal::kIsMixin<T>,
                  "a Member refers to a GarbageCollected type or a mixin");
    marker_.reference(object);
  }
  // Another thread may be marking it: then the reference is noted although it need not be.
  static bool is_marked(const heap::Object* object) { return heap::Chunk::of(object)->is_marked(object); }

  gc::Visitor& marker_;
};

}  // namespace jackdaw
