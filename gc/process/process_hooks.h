// ProcessHooks: functions of the program that the process's collector calls.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::gc {

/// The events of a collection, in this order.
enum class CollectionEvent : std::uint8_t {
  start,
  before_stop,
  after_stop,  ///< the other threads stand still
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

/// Null: not called. All are called with the collector's lock held, so they must not use the collector, but
/// for what takes no lock or a NestedLock; from after_stop to before_resume the other threads stand still, so
/// they must not ask for memory either.
struct ProcessHooks {
  void (*event)(CollectionEvent) = nullptr;
  /// Between mark_start and mark_end: may name more roots, by RootSet::scan.
  void (*more_roots)() = nullptr;
  /// Not zero: there is to be no collection. Asked before each one that allocation begins.
  int (*declines)() = nullptr;
  /// Before before_resume and right after after_stop, for each thread that was stopped.
  void (*thread)(ThreadEvent, pthread_t) = nullptr;
  /// Held around a fork, so that none is held there by a thread that does not come along. Who holds one of
  /// them may wait for the collector's lock.
  std::span<StoppableMutex* const> fork_locks;
  /// The heap's size has changed, to so many bytes. Between start and before_stop or after after_resume.
  void (*heap_resized)(std::size_t bytes) = nullptr;
  /// Bytes that the program frees by hand: what they grow by brings no collection nearer, as far as
  /// GrowthPolicy says.
  std::uint64_t (*uncounted_bytes)() = nullptr;

  void tell(CollectionEvent told) const {
    if (event != nullptr) event(told);
  }
};

/// Tells the end of a collection when it dies, also by an exception.
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
