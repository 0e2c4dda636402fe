// MakeGarbageCollected: makes collected objects.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/export.h"
#include "base/throw_or_end.h"
#include "gc/cpp/garbage_collected.h"
#include "gc/cpp/object_address.h"
#include "gc/cpp/visitor.h"
#include "gc/marking/layout_word.h"
#include "gc/process/process_kinds.h"
#include "gc/process/threads/allocating_thread.h"
#include "heap/size_classes.h"

namespace jackdaw {

/// The number of bytes behind an object that belong to it, zeroed unless its type is a leaf. Its type's Trace
/// reports the references in them.
struct AdditionalBytes {
  explicit constexpr AdditionalBytes(std::size_t count) : bytes(count) {}
  std::size_t bytes;
};

namespace internal {

/// Memory beyond the free slots at hand, or else throws std::bad_alloc.
JACKDAW_EXPORT void* allocate_or_throw(std::size_t bytes, heap::KindNumber kind);

/// Returns memory of one of the process's kinds. With constant arguments it takes a few instructions.
inline void* allocate(std::size_t bytes, heap::KindNumber kind) {
  gc::AllocatingThread* const thread = gc::AllocatingThread::current();
  if (thread != nullptr && bytes <= heap::kLargestSmallBytes) [[likely]] {
    if (void* const memory = thread->allocator().allocate_from_run(bytes, kind)) [[likely]]
      return memory;
  }
  return allocate_or_throw(bytes, kind);
}

/// Returns the name of a type, with a zero at its end, cut out of the name that GCC and clang give this
/// function: "... [with T = x]".
template <typename T>
constexpr auto name_of_type() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__;
  constexpr std::size_t kBegin = kFunction.rfind("T = ") + 4;
  constexpr std::size_t kLength = kFunction.size() - 1 - kBegin;
  std::array<char, kLength + 1> name{};
  std::copy_n(kFunction.begin() + kBegin, kLength, name.begin());
  return name;
}

/// The descriptors to which the headers of a type's objects point.
template <typename T>
class TypeOf {
 public:
  static constexpr bool kIsDestroyed = !std::is_trivially_destructible_v<T>;
  static constexpr heap::KindNumber kKind = kIsDestroyed ? gc::ProcessKinds::kDestroyed
                                            : kIsLeaf<T> ? gc::ProcessKinds::kData
                                                         : gc::ProcessKinds::kTraced;

 private:
  static void trace(const void* after_header, gc::Visitor& marker) {
    Visitor visitor(marker);
    object_behind_header<T>(after_header)->T::Trace(&visitor);
  }
  static void destroy(void* after_header) { object_behind_header<T>(after_header)->T::~T(); }
  static constexpr gc::TraceDescriptor of_dead() {
    gc::TraceDescriptor descriptor;
    if constexpr (kIsDestroyed) descriptor.destroy = destroy;
    descriptor.name = kName.data();
    return descriptor;
  }
  static constexpr auto kTrace = kIsLeaf<T> ? nullptr : trace;
  static constexpr auto kName = name_of_type<T>();
  static constexpr gc::TraceDescriptor kDead = of_dead();

 public:
  /// This descriptor has no destructor, for objects whose constructor has not returned.
  static constexpr gc::TraceDescriptor kUnderConstruction = {.trace = kTrace, .name = kName.data()};
  static constexpr gc::TraceDescriptor kComplete = {
      .trace = kTrace, .dead = kIsDestroyed ? &kDead : nullptr, .name = kName.data()};
};

/// The fences keep the compiler from moving the constructor's stores across it, since a collection may come
/// between any two instructions.
inline void set_header(void* start, const gc::TraceDescriptor* descriptor) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  *static_cast<const gc::TraceDescriptor**>(start) = descriptor;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Makes an object one without a type if its constructor throws: the language has destroyed the parts that
/// were constructed, and a collection frees the memory. It needs no `catch`, which -fno-exceptions forbids.
class DropIfThrown {
 public:
  explicit DropIfThrown(void* start) : start_(start) {}
  DropIfThrown(const DropIfThrown&) = delete;
  DropIfThrown& operator=(const DropIfThrown&) = delete;
  ~DropIfThrown() {
    if (start_ != nullptr) set_header(start_, nullptr);
  }
  void cancel() { start_ = nullptr; }

 private:
  void* start_;
};

template <typename T, typename... Arguments>
T* make(std::size_t additional_bytes, Arguments&&... arguments) {
  static_assert(kIsGarbageCollected<T>, "T must be derived from GarbageCollected<T>");
  static_assert(HasTrace<T>, "T must have void Trace(Visitor*) const, or be a GarbageCollectedLeaf<T>");
  static_assert(alignof(T) <= heap::kGranuleBytes, "objects are aligned to 16 bytes at most");
  using Type = TypeOf<T>;
  constexpr std::size_t kBytes = kObjectOffset<T> + sizeof(T);
  if (additional_bytes > static_cast<std::size_t>(-1) - kBytes) base::throw_or_end(std::bad_alloc());
  void* const start = allocate(kBytes + additional_bytes, Type::kKind);
  set_header(start, Type::kIsDestroyed ? &Type::kUnderConstruction : &Type::kComplete);
  void* const place = static_cast<std::byte*>(start) + kObjectOffset<T>;
  DropIfThrown drop(start);
  T* const object = ::new (place) T(std::forward<Arguments>(arguments)...);
  drop.cancel();
  if constexpr (Type::kIsDestroyed) set_header(start, &Type::kComplete);
  return object;
}

}  // namespace internal

/// Makes an object of type T, which is derived from GarbageCollected<T> or from a type that is. It lives
/// while it is reachable: from a Member of a live object, a Persistent, or a pointer to any part of it in
/// static data or in the stack or registers of a registered thread. Objects of types with a nontrivial
/// destructor are destroyed after they were found dead (gc/finalization/destructors.h).
///
/// Throws std::bad_alloc when there is no memory even after a collection, and what the constructor throws,
/// without calling the destructor. May collect, and so run other objects' destructors. Any thread, which this
/// registers.
template <typename T, typename... Arguments>
T* MakeGarbageCollected(Arguments&&... arguments) {
  return internal::make<T>(0, std::forward<Arguments>(arguments)...);
}

/// Makes an object with `additional` bytes behind it.
template <typename T, typename... Arguments>
T* MakeGarbageCollected(AdditionalBytes additional, Arguments&&... arguments) {
  return internal::make<T>(additional.bytes, std::forward<Arguments>(arguments)...);
}

}  // namespace jackdaw
