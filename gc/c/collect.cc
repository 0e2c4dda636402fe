// Collecting: gc.h, section 12.
#include <atomic>
#include <cstdint>
#include <new>

#include "gc/c/after_collection.h"
#include "gc/c/log.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"

namespace jackdaw::c_interface {

namespace {

int never_stop() { return 0; }

enum class FreeMemory : std::uint8_t { kept, given_back };

bool collect_unless(GC_stop_func declines, FreeMemory free_memory) {
  gc::ProcessCollector& collector = c_interface::collector();
  try {
    if (!collector.collect_unless(declines)) return false;
  } catch (const std::bad_alloc&) {
    warn("jackdaw: there is no memory to begin collection %lu", collector.collections() + 1);
    return false;
  }
  if (free_memory == FreeMemory::given_back) collector.heap_size().release_free_memory();
  attend_to_dead();
  return true;
}

FreeMemory free_memory_on_gcollect() {
  return settings.unmaps_on_gcollect ? FreeMemory::given_back : FreeMemory::kept;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void GC_gcollect() { collect_unless(settings.stop_func, free_memory_on_gcollect()); }

void GC_gcollect_and_unmap() { collect_unless(nullptr, FreeMemory::given_back); }

int GC_drop_all_objects() {
  gc::ProcessCollector& collector = c_interface::collector();
  try {
    collector.drop_all_objects();
  } catch (const std::bad_alloc&) {
    warn("jackdaw: there is no memory to begin collection %lu", collector.collections() + 1);
    return 0;
  }
  attend_to_dead();
  return 1;
}

void GC_set_force_unmap_on_gcollect(int unmap) { settings.unmaps_on_gcollect = unmap != 0; }
int GC_get_force_unmap_on_gcollect() { return settings.unmaps_on_gcollect ? 1 : 0; }

int GC_try_to_collect(GC_stop_func stop_func) {
  return collect_unless(stop_func, free_memory_on_gcollect()) ? 1 : 0;
}

void GC_set_stop_func(GC_stop_func stop_func) {
  const auto lock = lock_settings();
  settings.stop_func = stop_func;
  if (lock) collector().hooks().declines = stop_func;
}

GC_stop_func GC_get_stop_func() {
  const GC_stop_func function = read_locked(settings.stop_func);
  return function != nullptr ? function : never_stop;
}

int GC_collect_a_little() {
  gc::ProcessCollector& collector = c_interface::collector();
  bool goes_on = false;
  try {
    goes_on = collector.collect_a_little();
  } catch (const std::bad_alloc&) {
    warn("jackdaw: there is no memory to begin collection %lu", collector.collections() + 1);
  }
  attend_to_dead();
  return goes_on ? 1 : 0;
}

// The interface has a plain variable. Relaxed, all: it is written under the lock, and a reader without the
// lock only sees a number.
void GC_disable() {
  const auto lock = lock_settings();
  std::atomic_ref(GC_dont_gc).fetch_add(1, std::memory_order_relaxed);
  if (lock) collector().plan().disable();
}

void GC_enable() {
  const auto lock = lock_settings();
  if (GC_is_disabled() == 0) abort_program("GC_enable was called more often than GC_disable");
  std::atomic_ref(GC_dont_gc).fetch_sub(1, std::memory_order_relaxed);
  if (lock) collector().plan().enable();
}

void GC_finish_and_disable() {
  if (GC_is_init_called() == 0) return GC_disable();
  std::atomic_ref(GC_dont_gc).fetch_add(1, std::memory_order_relaxed);
  gc::ProcessCollector& collector = registered_collector();
  try {
    collector.finish_and_disable();
  } catch (const std::bad_alloc&) {
    warn("jackdaw: there is no memory to end collection %lu", collector.collections() + 1);
    collector.plan().disable();
  }
}

int GC_is_disabled() { return std::atomic_ref(GC_dont_gc).load(std::memory_order_relaxed) != 0 ? 1 : 0; }

void GC_set_disable_automatic_collection(int disable) {
  const auto lock = lock_settings();
  gc::GrowthPolicy& growth = lock ? collector().plan().growth() : initial_options().growth;
  growth.collects_by_itself = disable == 0;
  if (lock) collector().plan().apply_growth();
}

int GC_get_disable_automatic_collection() {
  const auto lock = lock_settings();
  const gc::GrowthPolicy& growth = lock ? collector().plan().growth() : initial_options().growth;
  return growth.collects_by_itself ? 0 : 1;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
