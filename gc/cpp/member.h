// Member and WeakMember: references from one collected object to another.
//
// They are as large as a pointer and cost as much. They live in collected objects, in containers that belong
// to such (gc/cpp/containers.h), and on stacks, where a plain pointer does as well; never in static data or
// in other memory, which is what Persistent is for (gc/cpp/persistent.h).
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace jackdaw {

class Visitor;

namespace internal {

/// Whether a reference keeps its object.
enum class Strength : bool { weak, strong };

/// A Member or a WeakMember. T may be incomplete where it is declared. Threads that share one synchronise, as
/// with any other variable.
template <typename T, Strength kStrength>
class BasicMember {
 public:
  using element_type = T;

  constexpr BasicMember() = default;
  // NOLINTBEGIN(google-explicit-constructor): it stands in for a pointer
  constexpr BasicMember(std::nullptr_t) {}
  constexpr BasicMember(T* object) : object_(object) {}
  /// From any other kind of reference.
  template <typename Reference>
  requires(!std::is_same_v<Reference, BasicMember> &&
           std::is_convertible_v<const Reference&, T*>) constexpr BasicMember(const Reference& reference)
      : object_(reference) {}
  constexpr operator T*() const { return object_; }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] constexpr T* get() const { return object_; }
  constexpr T* operator->() const { return object_; }
  constexpr T& operator*() const { return *object_; }

 private:
  friend class jackdaw::Visitor;

  T* object_ = nullptr;
};

}  // namespace internal

/// A reference that keeps its object, if the object that it lies in is kept and reports it.
template <typename T>
using Member = internal::BasicMember<T, internal::Strength::strong>;

/// A reference that keeps nothing. When the collector finds its object dead, the reference becomes null,
/// before the object's destructor runs and before its memory is used again.
template <typename T>
using WeakMember = internal::BasicMember<T, internal::Strength::weak>;

}  // namespace jackdaw

/// Objects do not move, so a reference may be a key: of its object's address.
template <typename T, jackdaw::internal::Strength kStrength>
struct std::hash<jackdaw::internal::BasicMember<T, kStrength>> {
  std::size_t operator()(const jackdaw::internal::BasicMember<T, kStrength>& member) const {
    return std::hash<T*>()(member.get());
  }
};
