// Member and WeakMember: references from one collected object to another.
//
// They have the size and cost of a pointer. They lie in collected objects, in containers of these
// (gc/cpp/containers.h), and on stacks, where a plain pointer works as well. In static data and other memory
// use Persistent (gc/cpp/persistent.h).
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace jackdaw {

class Visitor;

namespace internal {

/// Whether a reference keeps its object alive.
enum class Strength : bool { weak, strong };

/// A Member or a WeakMember. T may be incomplete at the declaration. Threads that share one must synchronise,
/// as with any variable.
template <typename T, Strength kStrength>
class BasicMember {
 public:
  using element_type = T;

  constexpr BasicMember() = default;
  // NOLINTBEGIN(google-explicit-constructor): it stands in for a pointer
  constexpr BasicMember(std::nullptr_t) {}
  constexpr BasicMember(T* object) : object_(object) {}
  /// Converts from any other kind of reference.
  template <typename Reference>
  requires(!std::is_same_v<Reference, BasicMember> &&
           std::is_convertible_v<const Reference&, T*>) constexpr BasicMember(const Reference& reference)
      : object_(reference) {}
  constexpr operator T*() const { return object_; }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] constexpr T* get() const { return object_; }
  constexpr T* operator->() const { return object_; }
  constexpr T& operator*() const { return *object_; }

  /// V8's names: Release returns the object and makes the reference null.
  [[nodiscard]] constexpr T* Get() const { return get(); }
  constexpr void Clear() { object_ = nullptr; }
  constexpr T* Release() { return std::exchange(object_, nullptr); }

 private:
  friend class jackdaw::Visitor;

  T* object_ = nullptr;
};

}  // namespace internal

/// A reference that keeps its object alive, if the object that holds it is live and reports it.
template <typename T>
using Member = internal::BasicMember<T, internal::Strength::strong>;

/// A weak reference. When the collector finds its object dead, the reference becomes null, before the
/// object's destructor runs and before its memory is reused.
template <typename T>
using WeakMember = internal::BasicMember<T, internal::Strength::weak>;

}  // namespace jackdaw

/// Hashes the object's address: objects do not move, so a reference may be a key.
template <typename T, jackdaw::internal::Strength kStrength>
struct std::hash<jackdaw::internal::BasicMember<T, kStrength>> {
  std::size_t operator()(const jackdaw::internal::BasicMember<T, kStrength>& member) const {
    return std::hash<T*>()(member.get());
  }
};
