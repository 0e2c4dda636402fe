// The names of V8's cppgc for Jackdaw's C++ interface: a program that was written for V8 includes this
// instead of <cppgc/...>. docs/cppgc-names.md says what else it changes, and which names are not here.
#pragma once

#if __cplusplus < 202002L
#error "Jackdaw's C++ interface needs C++20: compile with -std=c++20"
#else

#include <memory>
#include <utility>

#include "jackdaw/cppgc.h"  // IWYU pragma: export

// Rule 1 of docs/cpp-interface.md says where objects may lie; nothing checks it.
#define CPPGC_DISALLOW_NEW() static_assert(true)
#define CPPGC_STACK_ALLOCATED() static_assert(true)
#define CPPGC_USING_PRE_FINALIZER(Class, PreFinalizer) \
  static_assert(false, "Jackdaw has no pre-finalizers: use a destructor")

namespace cppgc {

using jackdaw::AdditionalBytes;
using jackdaw::GarbageCollected;
using jackdaw::GarbageCollectedMixin;
using jackdaw::Member;
using jackdaw::Persistent;
using jackdaw::Visitor;
using jackdaw::WeakMember;
using jackdaw::WeakPersistent;

namespace subtle {

template <typename T>
using CrossThreadPersistent = Persistent<T>;
template <typename T>
using WeakCrossThreadPersistent = WeakPersistent<T>;

}  // namespace subtle

/// Handles hold nothing: the process has one heap.
class AllocationHandle {};
class HeapHandle {};

/// See jackdaw::MakeGarbageCollected. An AdditionalBytes may follow the handle.
template <typename T, typename... Arguments>
T* MakeGarbageCollected(AllocationHandle&, Arguments&&... arguments) {
  return jackdaw::MakeGarbageCollected<T>(std::forward<Arguments>(arguments)...);
}

enum class EmbedderStackState { kMayContainHeapPointers, kNoHeapPointers };

/// Stands for the process's heap. It may be made any number of times; its end destroys no object.
class Heap {
 public:
  using StackState = EmbedderStackState;

  static std::unique_ptr<Heap> Create() { return std::make_unique<Heap>(); }
  AllocationHandle& GetAllocationHandle() { return allocation_handle_; }
  HeapHandle& GetHeapHandle() { return heap_handle_; }
  /// See jackdaw::collect_garbage; nothing keeps the source and the reason.
  void ForceGarbageCollectionSlow(const char* /*source*/, const char* /*reason*/,
                                  StackState stack = StackState::kMayContainHeapPointers) {
    jackdaw::collect_garbage(stack == StackState::kNoHeapPointers ? jackdaw::StackState::holds_none
                                                                  : jackdaw::StackState::may_hold_references);
  }

 private:
  AllocationHandle allocation_handle_;
  HeapHandle heap_handle_;
};

}  // namespace cppgc

#endif
