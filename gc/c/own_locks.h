// The interface's own locks beside the collector's. They are in one place because a fork takes them all: a
// lock that another thread holds would stay locked in the child.
#pragma once

#include <array>

#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::c_interface {

struct OwnLocks {
  gc::StoppableMutex kinds;           ///< held while a variant of a kind is made
  gc::StoppableMutex thread_records;  ///< guards the records of threads that are not joined yet
  gc::StoppableMutex long_bitmaps;    ///< guards their memory
};

extern constinit OwnLocks own_locks;

/// A thread that holds one of these takes no other.
inline constexpr std::array kAllOwnLocks{&own_locks.kinds, &own_locks.thread_records,
                                         &own_locks.long_bitmaps};

}  // namespace jackdaw::c_interface
