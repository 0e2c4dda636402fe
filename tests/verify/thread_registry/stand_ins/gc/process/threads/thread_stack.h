// Stands in for gc/process/threads/thread_stack.h: a stack pointer, which its thread writes plainly and the
// collector reads.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "gc/process/threads/fiber_stacks.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

class ThreadStack {
 public:
  static ThreadStack of_this_thread(std::size_t = 0) { return {}; }
  [[nodiscard]] static std::uintptr_t end() { return 0; }
  [[nodiscard]] static std::uintptr_t end_above(std::uintptr_t /*pointer*/) { return 0; }
  static void set_end(std::uintptr_t) {}
  [[nodiscard]] std::uintptr_t pointer() const { return pointer_; }
  void note(std::uintptr_t pointer, const ucontext_t* = nullptr) { pointer_ = pointer; }
  void note_sleeping(std::uintptr_t pointer) { pointer_ = pointer; }
  template <typename Function>
  void for_each_part(const FiberStacks&, Function function) const {
    function(heap::Words{reinterpret_cast<const heap::Word*>(pointer_), 1});
  }
  static void set_saved(const std::uintptr_t*) {}
  template <typename Function>
  static void for_each_part_from(std::uintptr_t, Function) {}

 private:
  std::uintptr_t pointer_ = 0;
};

}  // namespace jackdaw::gc
