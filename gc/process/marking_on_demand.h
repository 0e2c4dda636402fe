// MarkingOnDemand: the marking engine of a process, whose helper threads start when there is work for them.
//
// A program with a small heap is often over before a thread has started, and one thread marks such a heap
// faster than several. So the collector begins with an engine for the collecting thread alone, and makes the
// one that was asked for before the first collection of a heap that is no longer small. It has the
// collector's lock then, and starts threads, which takes locks of the C library's: where those may lead back
// to the collector, the helpers start with it.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "gc/marking/mark_engine.h"

namespace jackdaw::gc {

/// One thread at a time uses it, but for thread_count().
class MarkingOnDemand {
 public:
  /// Makes the engine for one thread, or, where `at_once` or the machine demands it, with its helpers. Throws
  /// as a MarkEngineMaker.
  MarkingOnDemand(const MarkingOptions& options, bool at_once);

  /// The engine for a collection of a heap that holds `bytes`. Throws std::bad_alloc when there is none and
  /// no memory for one; for helpers alone it does not: then one thread marks. `may_start_helpers`: false
  /// while a thread stands still that may hold a lock of the C library's.
  MarkEngine& for_heap_of(std::uint64_t bytes, bool may_start_helpers = true);
  /// Makes the engine that was asked for, helpers included. Throws as a MarkEngineMaker, with nothing
  /// changed.
  void start_helpers();
  /// Ends the helpers and drops the engine.
  void end();
  /// In the child of a fork, where the helpers did not come along: leaves the engine that counts on them as
  /// it is.
  void abandon();
  /// Threads that mark, the collecting one included: as many as were asked for, or could be started. Any
  /// thread.
  // Relaxed, here and where it is written: a number that publishes nothing.
  [[nodiscard]] std::uint32_t thread_count() const { return thread_count_.load(std::memory_order_relaxed); }

 private:
  void forget_helpers();

  const MarkingOptions options_;
  cpu_set_t processors_{};  // that the process's first thread may run on: helpers may, too
  bool has_helpers_ = false;
  std::atomic<std::uint32_t> thread_count_;
  std::unique_ptr<MarkEngine> engine_;
};

}  // namespace jackdaw::gc
