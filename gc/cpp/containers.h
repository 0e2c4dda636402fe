// Containers of the standard library whose elements refer to collected objects.
//
//   HeapVector<Member<Node>> children_;
//
//   children_->push_back(child);
//   for (const auto& child : *children_) ...
//   void Trace(Visitor* visitor) const { visitor->Trace(children_); }
//
// A container with memory from malloc could not be traced: a collection may come at any instruction, such as
// in the middle of push_back, and no lock could prevent that, since a stopped thread may hold malloc's. So
// these containers have all their memory in the collected heap, as objects whose words are all searched for
// addresses. In any state of a container, its memory can be reached from its own words and from the registers
// and stack of the thread that works on it. Long arrays are marked in slices, in parallel. Removed elements
// are cleared, since spare capacity is searched, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/throw_or_end.h"
#include "gc/cpp/make_garbage_collected.h"
#include "gc/cpp/visitor.h"
#include "gc/process/process_kinds.h"
#include "heap/layout.h"

namespace jackdaw {

/// An allocator over the collected heap, for containers in collected objects and on stacks. Only collections
/// free its memory. Throws std::bad_alloc. Any thread, which this registers.
template <typename T>
class HeapAllocator {
 public:
  using value_type = T;

  HeapAllocator() = default;
  template <typename Other>
  HeapAllocator(const HeapAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): as allocators are

  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= heap::kGranuleBytes, "objects are aligned to 16 bytes at most");
    if (count > std::numeric_limits<std::size_t>::max() / kElementBytes) base::throw_or_end(std::bad_alloc());
    return static_cast<T*>(internal::allocate(count * kElementBytes, kKind));
  }
  /// Clears the memory, so that a stale word that refers to it keeps nothing else alive.
  void deallocate(T* first, std::size_t count) { clear(first, count); }
  /// Removes an element from the container and clears its memory.
  template <typename Element>
  void destroy(Element* element) {
    std::destroy_at(element);
    clear(element, 1);
  }
  friend bool operator==(const HeapAllocator&, const HeapAllocator&) { return true; }

 private:
  static constexpr std::size_t kElementBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression): any T
  // Only classes and pointers can refer to objects.
  template <typename Element>
  static constexpr bool kIsData = std::is_arithmetic_v<Element> || std::is_enum_v<Element>;
  static constexpr heap::KindNumber kKind = kIsData<T> ? gc::ProcessKinds::kData : gc::ProcessKinds::kWords;

  template <typename Element>
  static void clear(Element* first, std::size_t count) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): any element
    if constexpr (!kIsData<Element>) std::memset(static_cast<void*>(first), 0, count * sizeof(Element));
  }
};

/// A container with a HeapAllocator, in a collected object or on a stack, used like a pointer to it. It keeps
/// what its elements refer to. They may be members, pairs of members and other values, or other types without
/// a destructor, but no weak references: use WeakMap (gc/cpp/weak_map.h). The container is not destroyed,
/// since its memory may be freed before the object that holds it is destroyed. Threads that share one must
/// synchronise; the collector needs no synchronisation.
template <typename Container>
class HeapContainer {
 public:
  static_assert(internal::kKeepsByWords<typename Container::value_type>,
                "weak references, and elements that need a destructor, cannot be in such a container");
  static_assert(
      std::is_same_v<typename Container::allocator_type, HeapAllocator<typename Container::value_type>>,
      "the container's memory must come from the collected heap");

  template <typename... Arguments>
  explicit HeapContainer(Arguments&&... arguments) {
    ::new (static_cast<void*>(bytes_)) Container(std::forward<Arguments>(arguments)...);
  }
  HeapContainer(const HeapContainer& other) : HeapContainer(*other) {}
  HeapContainer(HeapContainer& other) : HeapContainer(std::as_const(other)) {}
  HeapContainer(HeapContainer&& other) noexcept : HeapContainer(std::move(*other)) {}
  HeapContainer& operator=(const HeapContainer& other) {
    if (this != &other) **this = *other;
    return *this;
  }
  HeapContainer& operator=(HeapContainer&& other) noexcept {
    **this = std::move(*other);
    return *this;
  }
  ~HeapContainer() = default;

  Container* operator->() { return get(); }
  const Container* operator->() const { return get(); }
  Container& operator*() { return *get(); }
  const Container& operator*() const { return *get(); }

  void Trace(Visitor* visitor) const {
    if constexpr (requires { get()->data(); }) {
      // Only the data pointer is reported: the others may point to the end of the memory, where another
      // object may start.
      const auto data = reinterpret_cast<std::uintptr_t>(get()->data());
      visitor->trace_words(&data, sizeof data);
    } else {
      visitor->trace_words(bytes_, sizeof bytes_);
    }
  }

 private:
  Container* get() { return std::launder(reinterpret_cast<Container*>(bytes_)); }
  const Container* get() const { return std::launder(reinterpret_cast<const Container*>(bytes_)); }

  // Bytes have no destructor to be called.
  alignas(Container) std::byte bytes_[sizeof(Container)];  // NOLINT(modernize-avoid-c-arrays)
};

template <typename T>
using HeapVector = HeapContainer<std::vector<T, HeapAllocator<T>>>;
template <typename T>
using HeapDeque = HeapContainer<std::deque<T, HeapAllocator<T>>>;
template <typename Key, typename Value, typename Compare = std::less<Key>>
using HeapMap = HeapContainer<std::map<Key, Value, Compare, HeapAllocator<std::pair<const Key, Value>>>>;
template <typename Key, typename Compare = std::less<Key>>
using HeapSet = HeapContainer<std::set<Key, Compare, HeapAllocator<Key>>>;
template <typename Key, typename Value, typename Hash = std::hash<Key>, typename Equal = std::equal_to<Key>>
using HeapHashMap =
    HeapContainer<std::unordered_map<Key, Value, Hash, Equal, HeapAllocator<std::pair<const Key, Value>>>>;
template <typename Key, typename Hash = std::hash<Key>, typename Equal = std::equal_to<Key>>
using HeapHashSet = HeapContainer<std::unordered_set<Key, Hash, Equal, HeapAllocator<Key>>>;

}  // namespace jackdaw
