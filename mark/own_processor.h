// OwnProcessor: lets a thread that is woken run beside its waker, on another processor.
//
// Linux looks for an idle processor when it wakes a thread, but less or not at all where the processors that
// share a cache were busy lately (SIS_UTIL in kernel/sched/fair.c). A virtual machine may tell it that its
// idle processors are not there at all (vcpu_is_preempted). It then leaves a helper of a marking on its
// waker's processor, where it waits for milliseconds while another processor is idle.
#pragma once

#include <pthread.h>
#include <sched.h>

#include "base/system_call_filter.h"

namespace jackdaw::mark {

/// One for each thread that is woken. One thread at a time uses it.
class OwnProcessor {
 public:
  /// Returns the number of the processor that the calling thread runs on; negative where that is not known.
  static int current() { return sched_getcpu(); }

  /// Keeps `thread`, which sleeps and is about to be woken, off a processor until come_back(), and off
  /// `second`, too, if it may run on a third. Negative numbers mean none. Takes two microseconds. Does
  /// nothing after a filter of system calls was installed, as the filter may end the program.
  void keep_off(pthread_t thread, int processor, int second = -1);
  /// Lets the calling thread run on all its processors again. If others changed its affinity since
  /// keep_off(), it stays as it is; a change at the same time, or to what keep_off() left, is lost.
  void come_back();

 private:
  [[nodiscard]] bool may_call_system() const { return starts_filtered_ || !base::has_system_call_filter(); }

  const bool starts_filtered_ = base::has_system_call_filter();
  bool is_kept_off_ = false;
  cpu_set_t allowed_{};  // before it was kept off
  cpu_set_t left_{};     // while it is kept off
};

}  // namespace jackdaw::mark
