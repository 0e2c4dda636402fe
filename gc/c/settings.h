// Settings: what a program sets through the C interface and more than one part of it reads. The public
// variables of gc.h are settings, too.
#pragma once

#include "gc/c/interface.h"
#include "gc/process/process_collector.h"

namespace jackdaw::c_interface {

/// Those that have functions alone. Not synchronised: a program with several threads sets them before it
/// starts the second, or with the lock held.
struct Settings {
  GC_warn_proc warn_proc = nullptr;    ///< null: to the log
  GC_abort_func abort_func = nullptr;  ///< null: to standard error
  int log_descriptor = 2;
};

/// There before any constructor runs.
extern constinit Settings settings;

/// Hands the collector, which was just made, what was set before.
void apply_settings(gc::ProcessCollector& collector);

}  // namespace jackdaw::c_interface
