// Settings: what a program sets through the C interface and more than one part of it reads. The public
// variables of gc.h are settings, too.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include "gc/c/interface.h"
#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// The settings that have functions alone. Not synchronised: a program with several threads sets them before
/// it starts the second, or with the lock held.
struct Settings {
  GC_warn_proc warn_proc = nullptr;  ///< null: to the log
  int log_descriptor = 2;
  // Null, as at first: none.
  GC_stop_func stop_func = nullptr;  ///< null: never stops one
  GC_start_callback_proc start_callback = nullptr;
  GC_on_collection_event_proc on_collection_event = nullptr;
  GC_on_thread_event_proc on_thread_event = nullptr;
  GC_await_finalize_proc await_finalize = nullptr;
  GC_toggleref_func toggleref_func = nullptr;
  GC_has_static_roots_func has_static_roots = nullptr;
  bool unmaps_on_gcollect = false;
  bool measures_time = false;
  bool program_handles_fork = false;  ///< by GC_atfork_prepare and its like
};

/// There before any constructor runs.
extern constinit Settings settings;

/// The collector's lock, or nothing before GC_init, when there is no other thread.
std::unique_lock<gc::StoppableMutex> lock_settings();
/// The options that the collector will be made with: to be changed before GC_init alone.
inline gc::ProcessOptions& initial_options() { return gc::ProcessCollector::initial_options(); }
/// How long pauses may be by GC_time_limit; nothing where it is GC_TIME_UNLIMITED.
std::optional<std::chrono::milliseconds> wanted_pause_target();
/// Puts what was set by variables into them, right before the collector is made.
void prepare_options();
/// Hands the collector, which was just made, what was set before, and the variables what the environment
/// says.
void apply_settings(gc::ProcessCollector& collector);

}  // namespace jackdaw::c_interface
