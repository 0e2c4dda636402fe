// OwnProcessor: lets a thread that was woken run beside its waker, on another processor.
//
// Linux searches for an idle processor when it wakes a thread, but less or not at all where the processors
// that share a cache were busy lately (SIS_UTIL in kernel/sched/fair.c). With two processors it then puts a
// helper of a marking onto its waker's processor. The two take turns there while the other one is idle.
#pragma once

#include "base/system_call_filter.h"

namespace jackdaw::mark {

/// Each thread that is woken makes and uses its own.
class OwnProcessor {
 public:
  /// Returns the number of the processor that the calling thread runs on; negative where that is not known.
  static int current();

  /// Moves the calling thread to another processor, if it runs on `processor` and may run on others. That
  /// takes some 30 microseconds. A change of its affinity by another thread at the same time may be lost.
  /// Does nothing after a filter of system calls was installed, as the filter may end the program.
  void leave(int processor) const;

 private:
  const bool starts_filtered_ = base::has_system_call_filter();
};

}  // namespace jackdaw::mark
