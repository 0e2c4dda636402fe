// ProcessFork: what takes a process's collector through a fork.
#pragma once

#include "gc/process/process_collector.h"

namespace jackdaw::gc {

/// Around a fork whose child uses the heap: prepare() right before it, and right after it end_in_parent(),
/// also when there is no child, and end_in_child(). In between the caller must not touch the heap. With
/// ProcessOptions::handles_fork the system's fork() calls them.
class ProcessFork {
 public:
  static void prepare(ProcessCollector& collector);
  static void end_in_parent(ProcessCollector& collector);
  static void end_in_child(ProcessCollector& collector);

  /// Whether the system's fork() calls what it is to call, from when this code is loaded on: else there was
  /// no memory for that.
  static bool is_handled();
  /// The collector that it is to call them for; null when there is none. With ProcessCollector::starting().
  static ProcessCollector* handled();

 private:
  template <typename Function>
  static void for_each_lock(CollectorParts& parts, Function function);
};

}  // namespace jackdaw::gc
