// Inspection: answers other processes that ask for figures, a heap dump or a profile (InspectionPage), in a
// program that was started without any variable.
//
// The signal's handler writes the figures, which are all numbers that any thread may read. A dump is written
// by a child, as other dumps are, but of a snapshot: the program is stopped only for the fork, and the child
// marks. So nothing is collected, and no callback of the program's runs but, in the child, the one that names
// roots, which allows any thread to do it: the next that needs a block, or the scavenger's, which may be
// there while the program is idle. Profiles are begun and ended by the same threads.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "gc/process/collector_parts.h"
#include "gc/process/stop_the_world.h"
#include "gc/report/inspection_page.h"

namespace jackdaw::gc {

class InspectionFile;

/// One for the process. Any thread.
class Inspection {
 public:
  Inspection(CollectorParts& parts, StopTheWorld& world) : parts_(parts), world_(world) {}
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  /// Takes a signal of an inspector's, in the signal's handler. Returns whether more than figures is wanted,
  /// for which serve() is to be called.
  bool answer(pid_t inspector, int descriptor);
  /// Whether an inspector waits for more than figures.
  // Relaxed: a hint; serve() reads it again.
  [[nodiscard]] bool is_wanted() const { return wanted_.load(std::memory_order_relaxed).inspector != 0; }
  /// Does what an inspector waits for, if it still does. By a registered thread, whose stack counts from
  /// `stack_pointer` on, or by one that uses no objects. False where the collector's lock is not free, for
  /// which it does not wait: then it is to be called again.
  bool serve(std::uintptr_t stack_pointer);
  /// Forgets what is wanted, in the child of a fork: no inspector waits for it.
  // Relaxed: the child has no other thread.
  void after_fork_in_child() { wanted_.store({}, std::memory_order_relaxed); }

 private:
  // A page that waits. The alignment lets one instruction change both.
  struct alignas(std::uint64_t) Wanted {
    pid_t inspector = 0;  // the process that waits for it; 0: none
    int descriptor = 0;   // its number of the page's file
  };

  void fill_in(InspectionPage& page);
  bool carry_out(const InspectionPage& page, const InspectionFile& file, pid_t inspector,
                 std::uintptr_t stack_pointer);
  bool fork_writer(const InspectionFile& file, const char* pipe, std::uintptr_t stack_pointer);

  CollectorParts& parts_;
  StopTheWorld& world_;
  std::atomic<Wanted> wanted_{Wanted{}};
  static_assert(std::atomic<Wanted>::is_always_lock_free);
};

}  // namespace jackdaw::gc
