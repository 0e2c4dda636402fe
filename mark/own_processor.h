// OwnProcessor: has a thread that was woken run beside its waker, on another processor.
//
// Linux searches for an idle processor when it wakes a thread, but less or not at all where the processors
// that share a cache were busy lately (SIS_UTIL in kernel/sched/fair.c). With two processors a helper of a
// marking is then put onto its waker's processor, and the two take turns of some milliseconds there while the
// other processor is idle.
#pragma once

namespace jackdaw::mark {

/// One for each thread that is woken; it is made and used by that thread.
class OwnProcessor {
 public:
  OwnProcessor();

  /// Returns the number of the processor that the calling thread runs on; negative where that is not known.
  static int current();

  /// Moves the calling thread to another processor, if it runs on `processor` and may run on others. Where it
  /// may run stays as it is. Does nothing where system calls are filtered that were not at first, as the
  /// filter may end the program. No system call where it runs elsewhere, else some 30 microseconds.
  void leave(int processor) const;

 private:
  const bool starts_filtered_;  // whether system calls were filtered
};

}  // namespace jackdaw::mark
