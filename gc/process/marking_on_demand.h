// MarkingOnDemand: the marking engine of a process, whose helper threads start when there is work for them.
//
// A program with a small heap often ends before a thread has started, and one thread marks such a heap faster
// than several. So the collector begins with an engine for the collecting thread alone, and makes the full
// one before the first collection of a larger heap. Starting threads under the collector's lock takes locks
// of the C library: where those may lead back to the collector, the helpers start with it.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "gc/marking/mark_engine.h"

namespace jackdaw::gc {

/// One thread at a time uses it, except for thread_count().
class MarkingOnDemand {
 public:
  /// Whether the collector's threads must start with it: where starting one later may wait for a thread that
  /// waits for the collector (OwnMemory), or where addresses are limited. Any thread.
  static bool starts_at_once();

  /// Makes the engine for one thread, or, where `at_once` or the machine demands it, with its helpers. Throws
  /// what a MarkEngineMaker throws.
  MarkingOnDemand(const MarkingOptions& options, bool at_once);

  /// Returns the engine for a collection of a heap of `bytes`. Throws std::bad_alloc when there is none and
  /// no memory for one; if only helpers lack memory, one thread marks. `may_start_helpers` must be false
  /// while a stopped thread may hold a lock of the C library.
  MarkEngine& for_heap_of(std::uint64_t bytes, bool may_start_helpers = true);
  /// Makes the engine that was asked for, helpers included. Throws what a MarkEngineMaker throws, with
  /// nothing changed.
  void start_helpers();
  /// Ends the helpers and drops the engine.
  void end();
  /// Leaks the engine in a fork's child, where its helpers do not exist.
  void abandon();
  /// Returns the number of mark threads, the collecting one included: as many as were asked for, or could be
  /// started. Any thread.
  // Relaxed, here and where it is written: a number that publishes nothing.
  [[nodiscard]] std::uint32_t thread_count() const { return thread_count_.load(std::memory_order_relaxed); }
  /// Returns the processor time of all helpers, also of those that have ended.
  [[nodiscard]] std::chrono::nanoseconds helpers_time() const {
    return engine_ == nullptr ? ended_time_ : ended_time_ + engine_->marker().helpers_time();
  }

 private:
  void forget_helpers();

  const MarkingOptions options_;
  cpu_set_t processors_{};  // those of the process's first thread; helpers may use them, too
  bool has_helpers_ = false;
  std::atomic<std::uint32_t> thread_count_;
  std::unique_ptr<MarkEngine> engine_;
  std::chrono::nanoseconds ended_time_{0};  // of helpers that were ended
};

}  // namespace jackdaw::gc
