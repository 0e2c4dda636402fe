// MarkingOnDemand: the marking engine of a process, whose helper threads start when there is work for them.
//
// A program with a small heap is often over before a thread has started, and one thread marks such a heap
// faster than several. So the collector begins with an engine for the collecting thread alone, and makes the
// one that was asked for before the first collection of a heap that is no longer small.
#pragma once

#include <sched.h>

#include <cstdint>
#include <memory>

#include "gc/marking.h"

namespace jackdaw::gc {

/// One thread at a time uses it, but for thread_count().
class MarkingOnDemand {
 public:
  /// Makes the engine for one thread. Throws as make_marking.
  explicit MarkingOnDemand(const MarkingOptions& options);

  /// The engine for a collection of a heap that holds so many bytes. Throws std::bad_alloc when there is none
  /// and no memory for one; for helpers alone it does not: then one thread marks.
  Marking& for_heap_of(std::uint64_t bytes);
  /// Makes the engine that was asked for, helpers included. Throws as make_marking, with nothing changed.
  void start_helpers();
  /// Ends the helpers and drops the engine.
  void end();
  /// In the child of a fork, where the helpers did not come along: leaves the engine that counts on them as
  /// it is.
  void abandon();
  /// Threads that mark, the collecting one included: as many as were asked for, or could be started.
  [[nodiscard]] std::uint32_t thread_count() const {
    return has_helpers_ ? engine_->worker_count() : options_.engine.threads;
  }

 private:
  const MarkingOptions options_;
  cpu_set_t processors_{};  // that the process's first thread may run on: helpers may, too
  bool has_helpers_ = false;
  std::unique_ptr<Marking> engine_;
};

}  // namespace jackdaw::gc
