// ThreadStack: the ranges of memory that are a thread's stack: its own stack, an alternate signal stack above
// that, or a coroutine's.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/address_range.h"
#include "base/sanitizers.h"
#include "gc/process/threads/fake_stack.h"
#include "gc/process/threads/fiber_stacks.h"
#include "gc/process/threads/readable_words.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Belongs to one thread. The thread changes it, or others while it does not run; the collector reads it
/// while the thread is stopped.
class ThreadStack {
 public:
  /// Returns the calling thread's own. `bytes` is its size as requested from the thread library; 0: unknown.
  /// The library is then queried, which calls malloc and so gives each thread an arena of 64 MiB of
  /// addresses. Throws std::bad_alloc.
  static ThreadStack of_this_thread(std::size_t bytes = 0);

  /// Returns the end of the stack's first word: what lies above is not scanned.
  [[nodiscard]] std::uintptr_t end() const { return current_.end; }
  /// Returns the end where `pointer` is an address on the stack, else 0.
  [[nodiscard]] std::uintptr_t end_above(std::uintptr_t pointer) const {
    return current_.contains(pointer) ? current_.end : 0;
  }
  /// Sets the end, for a thread without references above it, and for one that changes to a coroutine's stack,
  /// or back, which ends there. The stack that it leaves is not scanned any more.
  void set_end(std::uintptr_t end);

  /// The stack pointer that was noted last.
  [[nodiscard]] std::uintptr_t pointer() const { return pointer_; }
  /// Notes that the calling thread runs at the stack pointer `pointer`. A signal handler passes the context
  /// that it got.
  void note(std::uintptr_t pointer, const ucontext_t* interrupted = nullptr);
  /// Notes that a thread sleeps in the system at the stack pointer `pointer`.
  void note_sleeping(std::uintptr_t pointer) {
    pointer_ = pointer;
    signal_stack_ = {};
  }

  /// Sets the word in which the program saves the stack pointer when the thread leaves its own stack for a
  /// registered one; null: there is none.
  void set_saved(const std::uintptr_t* saved) { saved_ = saved; }

  /// Calls `function(heap::Words)` with the parts in use at the last note(). `fibers` are the registered
  /// stacks.
  ///
  /// On a registered stack these are its used part, and that of the thread's own stack: from the pointer that
  /// the program saved, or all where that lies elsewhere.
  /// On an alternate signal stack these are its used part and the interrupted stack above the lowest of its
  /// addresses found there, since the interrupted stack pointer is among them. A registered stack that one of
  /// these addresses lies in counts as a whole for the same reason. On an unknown stack they are
  /// what lies above the pointer up to the first unreadable page, 8 MiB at most, and all of the thread's own
  /// stack. Under AddressSanitizer there are also the frames that these lead to (FakeStack).
  template <typename Function>
  void for_each_part(const FiberStacks& fibers, Function function) const {
    const auto visit = [&](heap::Words words) {
      function(words);
      if constexpr (base::kAddressSanitizer) fake_stack_.for_each_frame(words, function);
    };
    for (const base::AddressRange& part : parts(fibers)) for_each_readable_words(part, visit);
    if (!signal_stack_.empty()) for_each_interrupted(fibers, visit);
  }
  /// Calls `function(heap::Words)` with all readable words between another stack pointer and the end.
  template <typename Function>
  void for_each_part_from(std::uintptr_t pointer, Function function) const {
    if (pointer < end()) for_each_readable_words({pointer, end()}, function);
  }

 private:
  [[nodiscard]] std::array<base::AddressRange, 2> parts(const FiberStacks& fibers) const;
  [[nodiscard]] base::AddressRange left_part() const;
  template <typename Function>
  void for_each_interrupted(const FiberStacks& fibers, Function function) const;

  base::AddressRange own_;           // the thread's own stack
  base::AddressRange current_;       // what may be in use of it, or of the coroutine's
  base::AddressRange signal_stack_;  // set while the pointer is in it
  FakeStack fake_stack_;
  std::uintptr_t pointer_ = 0;
  const std::uintptr_t* saved_ = nullptr;
};

// Neighbouring words often lie in one stack.
template <typename Function>
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void ThreadStack::for_each_interrupted(
    const FiberStacks& fibers, Function function) const {
  base::AddressRange last;
  for (const heap::Word word : heap::whole_words_between(pointer_, signal_stack_.end)) {
    if (last.contains(word.bits)) continue;
    const FiberStack* const stack = fibers.find(word.bits);
    if (stack == nullptr) continue;
    last = stack->bounds;
    for_each_readable_words(last, function);
  }
}

}  // namespace jackdaw::gc
