// Persistent and WeakPersistent: references to collected objects from other memory: static data, malloc's
// memory, containers of the standard library, other collectors' objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/export.h"
#include "gc/cpp/member.h"
#include "gc/process/roots/persistent_node.h"

namespace jackdaw {

namespace internal {

/// Acquires a node, and notes the calling code, into which the callers are inlined, as the handle's maker for
/// heap dumps. Throws std::bad_alloc. Any thread.
JACKDAW_EXPORT gc::PersistentNode& acquire_node(Strength strength, const void* object);
JACKDAW_EXPORT void release_node(Strength strength, gc::PersistentNode& node);

/// A Persistent or a WeakPersistent. Once it was not null, it holds a node of a table until it is destroyed.
/// Its first reference takes a lock and may throw std::bad_alloc; all else costs what a pointer costs.
/// Different handles may be used by different threads at once; threads that share one must synchronise. Any
/// thread may destroy it.
template <typename T, Strength kStrength>
class BasicPersistent {
 public:
  using element_type = T;

  constexpr BasicPersistent() = default;
  // NOLINTBEGIN(google-explicit-constructor): it stands in for a pointer
  constexpr BasicPersistent(std::nullptr_t) {}
  [[gnu::always_inline]] BasicPersistent(T* object) { set(object); }
  /// Converts from any other kind of reference.
  template <typename Reference>
  requires(!std::is_same_v<Reference, BasicPersistent> && std::is_convertible_v<const Reference&, T*>)
      [[gnu::always_inline]] BasicPersistent(const Reference& reference) {
    set(reference);
  }
  operator T*() const { return get(); }
  // NOLINTEND(google-explicit-constructor)
  [[gnu::always_inline]] BasicPersistent(const BasicPersistent& other) : BasicPersistent(other.get()) {}
  BasicPersistent(BasicPersistent&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  [[gnu::always_inline]] BasicPersistent& operator=(const BasicPersistent& other) {
    if (this != &other) set(other.get());
    return *this;
  }
  BasicPersistent& operator=(BasicPersistent&& other) noexcept {
    std::swap(node_, other.node_);
    other.clear();
    return *this;
  }
  template <typename Reference>
  requires(!std::is_same_v<Reference, BasicPersistent> && std::is_convertible_v<const Reference&, T*>)
      [[gnu::always_inline]] BasicPersistent&
      operator=(const Reference& reference) {
    set(reference);
    return *this;
  }
  ~BasicPersistent() {
    if (node_ != nullptr) release_node(kStrength, *node_);
  }

  [[nodiscard]] T* get() const {
    // Relaxed: see PersistentNode.
    return node_ == nullptr ? nullptr : reinterpret_cast<T*>(node_->word.load(std::memory_order_relaxed));
  }
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
  void clear() { set(nullptr); }

  /// V8's names: Release returns the object, which the handle keeps no longer.
  [[nodiscard]] T* Get() const { return get(); }
  void Clear() { clear(); }
  T* Release() {
    T* const object = get();
    clear();
    return object;
  }

 private:
  [[gnu::always_inline]] void set(T* object) {
    if (node_ != nullptr) {
      // Relaxed: as above.
      node_->word.store(reinterpret_cast<std::uintptr_t>(object), std::memory_order_relaxed);
    } else if (object != nullptr) {
      node_ = &acquire_node(kStrength, object);
    }
  }

  gc::PersistentNode* node_ = nullptr;
};

}  // namespace internal

/// Keeps its object alive. Do not hold one in a collected object: a cycle through it would never be freed.
/// Use a Member there.
template <typename T>
using Persistent = internal::BasicPersistent<T, internal::Strength::strong>;

/// Keeps nothing alive, and becomes null in the collection that finds its object dead.
template <typename T>
using WeakPersistent = internal::BasicPersistent<T, internal::Strength::weak>;

}  // namespace jackdaw
