// Settings: values that a program sets through the C interface and that several parts of it read. The public
// variables of gc.h are settings, too.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "gc/c/interface.h"
#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// The settings without a public variable. They are not synchronised: a program sets them before it starts a
/// second thread, or with the lock held.
struct Settings {
  GC_warn_proc warn_proc = nullptr;  ///< null: warnings go to the log
  int log_descriptor = 2;
  // The initial value, null, means that there is no such function.
  GC_stop_func stop_func = nullptr;  ///< null: no marking is stopped
  GC_start_callback_proc start_callback = nullptr;
  GC_on_collection_event_proc on_collection_event = nullptr;
  GC_on_thread_event_proc on_thread_event = nullptr;
  GC_on_os_get_mem_proc on_os_get_mem = nullptr;
  GC_on_mark_stack_empty_proc on_mark_stack_empty = nullptr;
  GC_await_finalize_proc await_finalize = nullptr;
  GC_toggleref_func toggleref_func = nullptr;
  GC_has_static_roots_func has_static_roots = nullptr;
  GC_sp_corrector_proc sp_corrector = nullptr;
  unsigned most_finalizers = 0;  ///< that one call of GC_invoke_finalizers calls; 0: all
  bool unmaps_on_gcollect = false;
  bool measures_time = false;
  bool program_handles_fork = false;  ///< by calls of GC_atfork_prepare and its relatives
};

/// Initialised before any constructor runs.
extern constinit Settings settings;

/// Locks the collector's lock, or nothing before GC_init, when there is no other thread.
std::unique_lock<gc::StoppableMutex> lock_settings();
/// Writes a setting under that lock.
template <typename Value>
void write_locked(Value& setting, Value value) {
  const auto lock = lock_settings();
  setting = value;
}
/// Returns the value that a setting has under that lock.
template <typename Value>
Value read_locked(const Value& setting) {
  const auto lock = lock_settings();
  return setting;
}
/// Returns the options that the collector will be made with. They may be changed before GC_init only.
inline gc::ProcessOptions& initial_options() { return gc::ProcessCollector::initial_options(); }
/// Returns the pause target that GC_time_limit says; nothing where that is GC_TIME_UNLIMITED.
std::optional<std::chrono::milliseconds> wanted_pause_target();
/// Copies what was set by variables to the initial options, right before the collector is made.
void prepare_options();
/// Passes earlier settings to the collector, which was just made, and the environment's values to the
/// variables.
void apply_settings(gc::ProcessCollector& collector);

}  // namespace jackdaw::c_interface
