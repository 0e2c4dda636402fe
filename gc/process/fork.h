// ProcessFork: keeps a process's collector consistent across a fork.
#pragma once

#include "gc/process/process_collector.h"

namespace jackdaw::gc {

/// Takes a collector through a fork whose child uses the heap: prepare() is called right before it, and right
/// after it end_in_parent(), also when there is no child, and end_in_child(). The caller must not touch the
/// heap in between. With ProcessOptions::handles_fork the system's fork() calls them.
class ProcessFork {
 public:
  static void prepare(ProcessCollector& collector);
  static void end_in_parent(ProcessCollector& collector);
  static void end_in_child(ProcessCollector& collector);

  /// Whether the system's fork() calls these functions, as it does from when this code is loaded, unless
  /// there was no memory for the handlers.
  static bool is_handled();
  /// Returns the collector that fork() calls them for, or null. With ProcessCollector::starting().
  static ProcessCollector* handled();

 private:
  template <typename Function>
  static void for_each_lock(CollectorParts& parts, Function function);
};

}  // namespace jackdaw::gc
