// Persistent and WeakPersistent: references to collected objects from anywhere else: static data, memory of
// malloc, containers of the standard library, objects of other collectors.
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

/// Notes the calling code as the handle's maker, for heap dumps: what leads here is always inlined. Throws
/// std::bad_alloc. Any thread.
JACKDAW_EXPORT gc::PersistentNode& acquire_node(Strength strength, const void* object);
JACKDAW_EXPORT void release_node(Strength strength, gc::PersistentNode& node);

/// A Persistent or a WeakPersistent. One that has been null all the time takes nothing but its own eight
/// bytes; else it holds a node of a table until it dies. To make the first reference takes a lock and may
/// throw std::bad_alloc; all else is as with a pointer. Different ones may be used by different threads at
/// once, and one by several threads with synchronisation of their own; it may die on another thread than the
/// one that made it.
template <typename T, Strength kStrength>
class BasicPersistent {
 public:
  using element_type = T;

  constexpr BasicPersistent() = default;
  // NOLINTBEGIN(google-explicit-constructor): it stands in for a pointer
  constexpr BasicPersistent(std::nullptr_t) {}
  [[gnu::always_inline]] BasicPersistent(T* object) { set(object); }
  /// From any other kind of reference.
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

/// Keeps its object. In a collected object it would keep all that it leads to for ever if that leads back:
/// there, a Member is right.
template <typename T>
using Persistent = internal::BasicPersistent<T, internal::Strength::strong>;

/// Keeps nothing, and is null from the collection on that finds its object dead.
template <typename T>
using WeakPersistent = internal::BasicPersistent<T, internal::Strength::weak>;

}  // namespace jackdaw
