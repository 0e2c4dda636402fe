#include "gc/c/settings.h"

#include <algorithm>

#include "gc/c/free_profiler.h"
#include "gc/c/hooks.h"
#include "gc/c/leaks.h"
#include "gc/c/stacks.h"
#include "gc/c/start.h"

namespace {

void* return_null(std::size_t) { return nullptr; }

}  // namespace

// These initial values are libgc's.
#pragma GCC visibility push(default)
extern "C" {
GC_word GC_gc_no = 0;
int GC_parallel = 0;
GC_oom_func GC_oom_fn = return_null;
GC_on_heap_resize_proc GC_on_heap_resize = nullptr;
GC_finalizer_notifier_proc GC_finalizer_notifier = nullptr;
int GC_find_leak = 0;
int GC_all_interior_pointers = 1;
int GC_finalize_on_demand = 0;
int GC_java_finalization = 0;
int GC_no_dls = 0;
int GC_dont_expand = 0;
int GC_dont_precollect = 0;
int GC_full_freq = 19;
unsigned long GC_time_limit = GC_TIME_UNLIMITED;
GC_word GC_non_gc_bytes = 0;
GC_word GC_free_space_divisor = 3;
GC_word GC_max_retries = 0;
int GC_dont_gc = 0;
int GC_use_entire_heap = 0;
char* GC_stackbottom = nullptr;
}
#pragma GCC visibility pop

namespace jackdaw::c_interface {

constinit Settings settings;

std::unique_lock<gc::StoppableMutex> lock_settings() {
  if (GC_is_init_called() == 0) return {};
  return std::unique_lock(collector().lock());
}

std::optional<std::chrono::milliseconds> wanted_pause_target() {
  if (GC_time_limit >= GC_TIME_UNLIMITED) return std::nullopt;
  return std::chrono::milliseconds(GC_time_limit);
}

void prepare_options() {
  gc::ProcessOptions& options = initial_options();
  options.growth.free_space_divisor = std::max<GC_word>(GC_free_space_divisor, 1);
  options.growth.more_collections_when_exhausted = GC_max_retries;
  options.growth.grows_only_when_it_must = GC_dont_expand != 0;
  options.all_interior_pointers = GC_all_interior_pointers != 0;
  options.pause_target = wanted_pause_target().value_or(options.pause_target);
}

void apply_settings(gc::ProcessCollector& collector) {
  GC_free_space_divisor = collector.plan().growth().free_space_divisor;
  GC_all_interior_pointers = collector.heap().map().displacements() == nullptr ? 1 : 0;
  GC_parallel = static_cast<int>(collector.mark_threads()) - 1;
  if (collector.plan().is_disabled()) GC_dont_gc = std::max(GC_dont_gc, 1);
  for (int depth = collector.plan().is_disabled() ? 1 : 0; depth < GC_dont_gc; ++depth)
    collector.plan().disable();
  collector.dead().set_java_finalization(GC_java_finalization != 0);
  collector.roots().static_data().set_scans_libraries(GC_no_dls == 0);
  apply_stack_end(collector);
  collector.threads().correct_stack_pointers(settings.sp_corrector);
  install_hooks(collector);
  start_finding_leaks();
  look_for_free_profiler();
}

}  // namespace jackdaw::c_interface
