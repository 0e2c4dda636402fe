// Guarded loads: find out whether memory can be read by a load from it, in place of a system call a page.
//
// A load from memory that is protected, unmapped or behind a file's end raises SIGSEGV or SIGBUS. A handler
// that is installed for a while lets the thread go on behind the load. (libgc's GC_find_limit installs one
// likewise.)
#pragma once

#include <cstdint>

namespace jackdaw::base {

/// While it exists, its thread can try loads. One exists in a process at a time. Takes five system calls, and
/// two at its end; it calls no malloc, and takes no lock.
///
/// The program's actions are carried out for all other faults and signals, of any thread. They run on the
/// thread's alternate signal stack, if it has one. A handler that another thread installs meanwhile stays,
/// and gets the faults of loads, too.
class GuardedLoads {
 public:
  /// Has no effect where the system refuses a handler, and where the thread blocks one of the signals: a
  /// fault would end the program.
  GuardedLoads();
  ~GuardedLoads();
  GuardedLoads(const GuardedLoads&) = delete;
  GuardedLoads& operator=(const GuardedLoads&) = delete;

  /// Returns whether the calling thread can try loads. It must not block SIGSEGV or SIGBUS meanwhile.
  static bool are_on() { return are_on_; }
  /// Returns whether a byte can be read now. The caller has found that are_on().
  static bool can_read(std::uintptr_t address);

 private:
  // The model avoids a call of the thread library, which may use malloc.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local bool are_on_ = false;
};

}  // namespace jackdaw::base
