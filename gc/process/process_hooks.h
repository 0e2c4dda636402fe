// ProcessHooks: functions of the program that the process's collector calls.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::gc {

class Visitor;

/// The events of a collection, in this order.
enum class CollectionEvent : std::uint8_t {
  start,
  before_stop,
  after_stop,  ///< the other threads are stopped
  mark_start,
  mark_end,
  reclaim_start,
  reclaim_end,
  before_resume,
  after_resume,
  end,
};

/// The events of one thread.
enum class ThreadEvent : std::uint8_t { stopped, to_resume };

/// A null hook is not called. Hooks run with the collector's lock held, so they may only use functions that
/// take no lock or a NestedLock. From after_stop to before_resume the other threads are stopped, so hooks
/// must not call malloc.
struct ProcessHooks {
  void (*event)(CollectionEvent) = nullptr;
  /// Called between mark_start and mark_end; may add roots by RootSet::scan.
  void (*more_roots)() = nullptr;
  /// Called when all that is reachable from roots was marked; may report more to be marked, and is then
  /// called again.
  void (*mark_more)(Visitor& visitor) = nullptr;
  /// Called before each collection that allocation begins; nonzero prevents it.
  int (*declines)() = nullptr;
  /// Called for each stopped thread, right after after_stop and right before before_resume.
  void (*thread)(ThreadEvent, pthread_t) = nullptr;
  /// Locks that are held around a fork, so that no thread that is missing in the child holds one. A thread
  /// that holds one may wait for the collector's lock.
  std::span<StoppableMutex* const> fork_locks;
  /// Called when the heap's size has changed, between start and before_stop or after after_resume.
  void (*heap_resized)(std::size_t bytes) = nullptr;
  /// Called soon after the heap took memory from the system; with null when that refused it.
  void (*memory_taken)(void* start, std::size_t bytes) = nullptr;
  /// Returns bytes that the program frees explicitly: their growth brings no collection nearer, within the
  /// limits of GrowthPolicy.
  std::uint64_t (*uncounted_bytes)() = nullptr;

  void tell(CollectionEvent told) const {
    if (event != nullptr) event(told);
  }
};

/// Calls the hook for the end of a collection when it is destroyed, also by an exception.
class EndTold {
 public:
  explicit EndTold(const ProcessHooks& hooks) : hooks_(hooks) {}
  ~EndTold() { hooks_.tell(CollectionEvent::end); }
  EndTold(const EndTold&) = delete;
  EndTold& operator=(const EndTold&) = delete;

 private:
  const ProcessHooks& hooks_;
};

}  // namespace jackdaw::gc
