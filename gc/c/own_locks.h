// The interface's own locks, beside the collector's. In one place, because a fork takes them all: its child
// would find one locked for ever that another thread held.
#pragma once

#include <array>

#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::c_interface {

struct OwnLocks {
  gc::StoppableMutex kinds;           ///< while a variant of a kind is made
  gc::StoppableMutex thread_records;  ///< of the threads that are not joined yet
  gc::StoppableMutex long_bitmaps;    ///< their memory
};

extern constinit OwnLocks own_locks;

/// All of them. A thread that holds one takes no other.
inline constexpr std::array kAllOwnLocks{&own_locks.kinds, &own_locks.thread_records,
                                         &own_locks.long_bitmaps};

}  // namespace jackdaw::c_interface
