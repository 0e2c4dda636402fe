// Stands in for gc/process/threads/thread_registry.h: a program of one thread, which stops between two
// instructions and outside of critical sections.
#pragma once

#include <cstdint>
#include <span>

#include "gc/process/threads/stack_state.h"
#include "heap/word_scan.h"
#include "tests/verify/verify.h"

namespace verify::program_thread {

// Held by the thread in a critical section, and, for an instruction that writes to memory that may be armed,
// by its processor, which is not interrupted meanwhile. The thread that stops it holds both: what the thread
// did before is seen, and it sees what was done. It may go on reading, which makes no difference.
inline Mutex critical_section;
inline Mutex instruction;
// Written and read by the thread that stops it.
inline bool is_stopped = false;

}  // namespace verify::program_thread

namespace jackdaw::gc {

struct StopProtocol {
  static void stop_others() {
    verify::program_thread::critical_section.lock();
    verify::program_thread::instruction.lock();
    verify::program_thread::is_stopped = true;
  }
  static void resume_others() {
    verify::program_thread::is_stopped = false;
    verify::program_thread::instruction.unlock();
    verify::program_thread::critical_section.unlock();
  }
  static void resume_others_soon() { resume_others(); }
  static void wake_resumed() {}
};

struct FiberStacks {
  static void note_tracked() {}
};

class ThreadRegistry {
 public:
  struct RootPlace {};
  struct ThreadLocalModule {};
  static StopProtocol stops() { return {}; }
  static FiberStacks fibers() { return {}; }
  // Its stack counts as empty until the last pause.
  template <typename Function>
  static void for_each_root(std::uintptr_t, StackState, std::span<const ThreadLocalModule>, Function) {}
};

}  // namespace jackdaw::gc
