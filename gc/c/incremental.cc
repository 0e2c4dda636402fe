// Incremental collection: gc.h, section 14. A thread of the collector does while the program runs what libgc
// does step by step on the program's threads. The kernel reports dirty pages
// (gc/process/concurrent/write_tracking.h), so the program's own reports of writes are ignored.
#include <new>

#include "gc/c/log.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"

namespace jackdaw::c_interface {

namespace {

// These defaults are libgc's.
constinit unsigned long time_limit_nanoseconds = 0;
constinit int rate = 10;
constinit int max_prior_attempts = 1;
constinit bool is_manual_allowed = false;
constinit bool is_mprotect_allowed = true;

// Nothing is done before GC_init, which reads the variable.
void limit_pauses() {
  const auto target = wanted_pause_target();
  if (target && GC_is_init_called() != 0) collector().concurrent_marking().set_pause_target(*target);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void GC_enable_incremental() { registered_collector().mark_concurrently(); }

void GC_start_incremental_collection() {
  if (GC_is_incremental_mode() == 0) return;
  gc::ProcessCollector& collector = registered_collector();
  try {
    collector.begin_cycle();
  } catch (const std::bad_alloc&) {
    warn("jackdaw: there is no memory to begin collection %lu", collector.collections() + 1);
  }
}

int GC_is_incremental_mode() {
  return GC_is_init_called() != 0 && collector().cycle_permission().is_granted() ? 1 : 0;
}

// The kernel notes writes by itself, so none fails, not even in a system call.
int GC_incremental_protection_needs() { return GC_PROTECTS_NONE; }

void GC_set_time_limit(unsigned long milliseconds) {
  GC_time_limit = milliseconds;
  limit_pauses();
}
unsigned long GC_get_time_limit() { return GC_time_limit; }

void GC_set_time_limit_tv(GC_timeval_s limit) {
  time_limit_nanoseconds = limit.tv_nsec;
  GC_set_time_limit(limit.tv_ms);
}
GC_timeval_s GC_get_time_limit_tv() { return {GC_time_limit, time_limit_nanoseconds}; }

void GC_set_full_freq(int frequency) { GC_full_freq = frequency; }
int GC_get_full_freq() { return GC_full_freq; }
void GC_set_rate(int pages) { rate = pages; }
int GC_get_rate() { return rate; }
void GC_set_max_prior_attempts(int attempts) { max_prior_attempts = attempts; }
int GC_get_max_prior_attempts() { return max_prior_attempts; }
void GC_set_manual_vdb_allowed(int allowed) { is_manual_allowed = allowed != 0; }
int GC_get_manual_vdb_allowed() { return is_manual_allowed ? 1 : 0; }

void GC_set_mprotect_vdb_allowed(int allowed) { is_mprotect_allowed = allowed != 0; }
int GC_get_mprotect_vdb_allowed() { return is_mprotect_allowed ? 1 : 0; }

unsigned GC_get_supported_vdbs() { return GC_VDB_SOFT | GC_VDB_UFFDWP; }
unsigned GC_get_actual_vdb() {
  if (GC_is_incremental_mode() == 0) return GC_VDB_NONE;
  switch (collector().concurrent_marking().tracking_method()) {
    case gc::WriteTrackingMethod::none:
      return GC_VDB_NONE;
    case gc::WriteTrackingMethod::pagemap_scan:
      return GC_VDB_UFFDWP;
    case gc::WriteTrackingMethod::soft_dirty:
      return GC_VDB_SOFT;
  }
  __builtin_unreachable();
}

void GC_change_stubborn(const void*) {}
void GC_debug_change_stubborn(const void*) {}
void GC_end_stubborn_change(const void*) {}
void GC_debug_end_stubborn_change(const void*) {}

void GC_ptr_store_and_dirty(void* slot, const void* value) {
  *static_cast<const void**>(slot) = value;
  GC_reachable_here(value);
}

void GC_debug_ptr_store_and_dirty(void* slot, const void* value) {
  GC_ptr_store_and_dirty(GC_is_visible(slot), GC_is_valid_displacement(const_cast<void*>(value)));
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
