// The interface's own locks, beside the collector's. In one place, because a fork takes them all: its child
// would find one locked for ever that another thread held.
#pragma once

#include "gc/process/stoppable_mutex.h"

namespace jackdaw::c_interface {

struct OwnLocks {
  gc::StoppableMutex kinds;           ///< while a variant of a kind is made
  gc::StoppableMutex thread_records;  ///< of the threads that are not joined yet
  gc::StoppableMutex long_bitmaps;    ///< their memory

  /// All of them. Whoever holds one takes no other.
  void lock();
  void unlock();
};

extern constinit OwnLocks own_locks;

}  // namespace jackdaw::c_interface
