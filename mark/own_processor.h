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
  /// Keeps `thread`, which sleeps and is about to be woken, off the calling thread's processor until
  /// come_back(), if it may run on others. Takes a microsecond. Does nothing after a filter of system calls
  /// was installed, as the filter may end the program.
  void keep_off_mine(pthread_t thread);
  /// Lets the calling thread, which was woken, run on all its processors again. A change of its affinity by
  /// others since keep_off_mine() stays, but one at the same time may be lost.
  void come_back();

 private:
  [[nodiscard]] bool may_call_system() const { return starts_filtered_ || !base::has_system_call_filter(); }

  const bool starts_filtered_ = base::has_system_call_filter();
  bool is_kept_off_ = false;
  cpu_set_t allowed_{};     // before, while it is kept off
  cpu_set_t restricted_{};  // and since
};

}  // namespace jackdaw::mark
