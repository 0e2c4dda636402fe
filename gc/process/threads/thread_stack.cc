#include "gc/process/threads/thread_stack.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <new>

#include "base/page_memory.h"

#ifdef __GLIBC__
// This is a variable of the C library, whose name is reserved.
extern "C" void* libc_stack_end asm("__libc_stack_end");
#endif

namespace jackdaw::gc {

namespace {

// A stack whose lower end is unknown is assumed to be no larger than this.
constexpr std::uintptr_t kLargestForeignStack = std::uintptr_t{8} << 20;
// On x86-64, functions that call nothing may have variables below the stack pointer.
constexpr std::uintptr_t kRedZoneBytes = 128;

base::AddressRange range_of(const stack_t& signal_stack) {
  if ((signal_stack.ss_flags & SS_DISABLE) != 0) return {};
  const auto low = reinterpret_cast<std::uintptr_t>(signal_stack.ss_sp);
  return {low, low + signal_stack.ss_size};
}

// Returns the calling thread's alternate signal stack; empty when there is none.
base::AddressRange signal_stack_of_this_thread() {
  stack_t stack;
  return sigaltstack(nullptr, &stack) == 0 ? range_of(stack) : base::AddressRange{};
}

// Returns the first thread's stack with the least length that Linux keeps free for it (mmap_base), since its
// limit may change. Empty when the calling thread runs elsewhere. The thread library would read all of
// /proc/self/maps to tell.
base::AddressRange first_threads_stack() {
#ifdef __GLIBC__
  const auto end = reinterpret_cast<std::uintptr_t>(libc_stack_end);
  const base::AddressRange stack{end - kLargestForeignStack, end};
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (stack.contains(here) || base::with_mapped_below(stack).contains(here)) return stack;
#endif
  return {};
}

// Returns the stack of `bytes` bytes that the thread library allocated for the calling thread; the library's
// record of the thread is at its end. Empty if that is unknown or the thread runs on another stack.
base::AddressRange given_stack([[maybe_unused]] std::size_t bytes) {
#if defined(__GLIBC__) && defined(__x86_64__)
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto known = reinterpret_cast<std::uintptr_t>(pthread_self());
  if (bytes != 0 && here < known && known - here < bytes) {
    const std::uintptr_t page = base::page_bytes();
    const std::uintptr_t end = (known / page + 1) * page;
    return {end - std::min(end, bytes), end};
  }
#endif
  return {};
}

// Returns the calling thread's stack, as the thread library knows it. The library also asks for the thread's
// processors, which the system may refuse: then the stack ends below the library's record of the thread, if
// that lies there.
base::AddressRange stack_of_this_thread() {
  pthread_attr_t attributes;
  const int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error == ENOMEM) throw std::bad_alloc();
  if (error != 0) {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return base::readable_prefix(
        {here,
         here + std::min(kLargestForeignStack, reinterpret_cast<std::uintptr_t>(pthread_self()) - here)});
  }
  void* low = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uintptr_t>(low), reinterpret_cast<std::uintptr_t>(low) + bytes};
}

// Returns the lowest address in `within` among the words of `range`, or the begin of `within` when there is
// none.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uintptr_t lowest_word_in(
    base::AddressRange range, base::AddressRange within) {
  std::uintptr_t lowest = within.end;
  while (!range.empty()) {
    const base::AddressRange part = base::first_readable(range);
    if (part.empty()) break;
    for (const heap::Word word : heap::whole_words_between(part.begin, part.end)) {
      if (within.contains(word.bits)) lowest = std::min(lowest, word.bits);
    }
    range.begin = part.end;
  }
  return lowest == within.end ? within.begin : lowest;
}

// Returns the part of `stack` in use at the stack pointer `pointer`, or nothing when that lies elsewhere. The
// stack may have grown further down than it was known to reach.
base::AddressRange used_part(base::AddressRange stack, std::uintptr_t pointer) {
  const bool is_in_it = stack.contains(pointer) ||
                        (base::with_mapped_below(stack).contains(pointer) &&
                         base::first_readable({pointer, stack.begin}).contains({pointer, stack.begin}));
  return is_in_it ? base::AddressRange{pointer, stack.end} : base::AddressRange{};
}

}  // namespace

ThreadStack ThreadStack::of_this_thread(std::size_t bytes) {
  ThreadStack stack;
  stack.fake_stack_ = FakeStack::of_this_thread();
  stack.own_ = first_threads_stack();
  if (stack.own_.empty()) stack.own_ = given_stack(bytes);
  if (stack.own_.empty()) stack.own_ = stack_of_this_thread();
  stack.current_ = stack.own_;
  return stack;
}

void ThreadStack::set_end(std::uintptr_t end) {
  end = fake_stack_.real_address(end);
  const bool is_own = own_.begin < end && end <= own_.end;
  current_ = {is_own ? own_.begin : end - std::min(end, kLargestForeignStack), end};
}

// In a handler the kernel has passed the signal stack, which may lie in the thread's own. Elsewhere it is
// asked only where the thread may run on one, since the program may have given up this system call.
void ThreadStack::note(std::uintptr_t pointer, const ucontext_t* interrupted) {
  pointer_ = pointer;
  fake_stack_ = FakeStack::of_this_thread();
  base::AddressRange signal_stack;
  if (interrupted != nullptr) {
    signal_stack = range_of(interrupted->uc_stack);
  } else if (used_part(current_, pointer).empty()) {
    signal_stack = signal_stack_of_this_thread();
  }
  signal_stack_ = signal_stack.contains(pointer) ? signal_stack : base::AddressRange{};
}

// Returns the part in use of the thread's own stack, which it has left for a registered one.
base::AddressRange ThreadStack::left_part() const {
  base::AddressRange left = base::with_mapped_below(current_.begin == own_.begin ? current_ : own_);
  // Another thread may run on this stack meanwhile, and save its pointer again.
  if (saved_ == nullptr) return left;
  const std::uintptr_t pointer = *static_cast<const volatile std::uintptr_t*>(saved_);
  if (left.contains(pointer)) left.begin = pointer;
  return left;
}

std::array<base::AddressRange, 2> ThreadStack::parts(const FiberStacks& fibers) const {
  if (!signal_stack_.empty()) {
    const base::AddressRange used{pointer_, signal_stack_.end};
    const base::AddressRange interrupted =
        current_.begin == own_.begin ? base::with_mapped_below(current_) : current_;
    return {used, {lowest_word_in(used, interrupted) - kRedZoneBytes, current_.end}};
  }
  if (const FiberStack* const fiber = fibers.find(pointer_))
    return {base::AddressRange{pointer_, fiber->bounds.end}, left_part()};
  for (const base::AddressRange& stack : {current_, own_}) {
    if (const base::AddressRange used = used_part(stack, pointer_); !used.empty()) return {used, {}};
  }
  return {base::readable_prefix({pointer_, pointer_ + kLargestForeignStack}), base::with_mapped_below(own_)};
}

}  // namespace jackdaw::gc
