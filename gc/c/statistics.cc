// Statistics: gc.h, section 16, without the dumps.
#include "gc/c/statistics.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>

#include "gc/c/settings.h"
#include "gc/c/start.h"
#include "gc/c/undeclared.h"
#include "heap/heap.h"
#include "heap/size_classes.h"

namespace jackdaw::c_interface {

namespace {

using Clock = std::chrono::steady_clock;

// These are written under the lock.
constinit heap::ByteCount reclaimed_last;    // by the last collection
constinit heap::ByteCount reclaimed_before;  // by earlier collections
constinit std::uint64_t used_bytes = 0;      // when the present collection began to reclaim
constinit std::uint64_t counted_collections = 0;
constinit Clock::time_point started;
constinit Clock::duration time_spent{0};
constinit Clock::time_point mark_started;
constinit Clock::duration marking_time{0};  // while the program was stopped
constinit std::uint64_t markings = 0;       // that make up this time

const heap::Heap& heap_now() { return collector().heap(); }

void count_reclaimed() {
  gc::ProcessCollector& collector = c_interface::collector();
  if (collector.collections() == counted_collections) return;  // the collection was given up
  counted_collections = collector.collections();
  // Relaxed: only the program reads it.
  std::atomic_ref(GC_gc_no).store(counted_collections, std::memory_order_relaxed);
  reclaimed_before.add(reclaimed_last);
  reclaimed_last.subtract(reclaimed_last);
  reclaimed_last.add(used_bytes - std::min(used_bytes, collector.counters().live_bytes()));
}

GC_prof_stats_s all_statistics() {
  gc::ProcessCollector& collector = c_interface::collector();
  const heap::HeapUsage& usage = collector.heap().usage();
  GC_prof_stats_s all{};
  all.heapsize_full = collector.heap().bytes() + usage.given_back;
  all.free_bytes_full = GC_get_free_bytes() + usage.given_back;
  all.unmapped_bytes = usage.given_back;
  all.bytes_allocd_since_gc = GC_get_bytes_since_gc();
  all.allocd_bytes_before_gc = collector.counters().bytes_before_last_collection();
  all.non_gc_bytes = GC_get_non_gc_bytes();
  all.gc_no = collector.collections();
  all.markers_m1 = static_cast<GC_word>(GC_get_parallel());
  all.expl_freed_bytes_since_gc = collector.counters().freed_bytes();
  all.bytes_reclaimed_since_gc = reclaimed_last + all.expl_freed_bytes_since_gc;
  all.reclaimed_bytes_before_gc = reclaimed_before;
  all.obtained_from_os_bytes = usage.taken;
  return all;
}

unsigned long nanoseconds(Clock::duration time) {
  return static_cast<unsigned long>(std::chrono::nanoseconds(time).count());
}
unsigned long whole_milliseconds(Clock::duration time) {
  return static_cast<unsigned long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

void store(GC_word* place, GC_word value) {
  if (place != nullptr) *place = value;
}

}  // namespace

void count_event(gc::CollectionEvent event) {
  switch (event) {
    case gc::CollectionEvent::start:
      started = Clock::now();
      break;
    case gc::CollectionEvent::mark_start:
      if (settings.measures_time) mark_started = Clock::now();
      break;
    case gc::CollectionEvent::mark_end:
      if (!settings.measures_time || mark_started == Clock::time_point()) break;
      marking_time += Clock::now() - mark_started;
      ++markings;
      break;
    case gc::CollectionEvent::reclaim_start:
      used_bytes = collector().counters().live_bytes() + collector().heap().allocated_bytes();
      break;
    case gc::CollectionEvent::end:
      count_reclaimed();
      if (settings.measures_time) time_spent += Clock::now() - started;
      break;
    default:
      break;
  }
}

#pragma GCC visibility push(default)
extern "C" {

GC_word GC_get_gc_no() { return collector().collections(); }

std::size_t GC_get_heap_size() { return heap_now().bytes(); }
std::size_t GC_get_free_bytes() {
  // The two are read one after the other, and another thread may change both in between: so the larger
  // counts.
  const std::uint64_t used = heap_now().usage().used;
  return std::max<std::uint64_t>(heap_now().bytes(), used) - used;
}
std::size_t GC_get_unmapped_bytes() { return heap_now().usage().given_back; }
std::size_t GC_get_obtained_from_os_bytes() { return heap_now().usage().taken; }

std::size_t GC_get_bytes_since_gc() {
  const std::uint64_t before = collector().counters().bytes_before_last_collection();
  return heap_now().usage().allocated - before;
}
void GC_incr_bytes_allocd(std::size_t bytes) {
  registered_collector().look_at_heap([bytes](heap::Heap& heap) { heap.count_allocated_elsewhere(bytes); });
}
void GC_incr_bytes_freed(std::size_t bytes) {
  gc::ProcessCollector& collector = registered_collector();
  collector.look_at_heap([bytes](heap::Heap& heap) { heap.count_freed_elsewhere(bytes); });
  collector.counters().count_freed_elsewhere(bytes);
}
std::size_t GC_get_total_bytes() { return heap_now().usage().allocated; }
std::size_t GC_get_expl_freed_bytes_since_gc() { return collector().counters().freed_bytes(); }

void GC_get_heap_usage_safe(GC_word* heap_size, GC_word* free_bytes, GC_word* unmapped_bytes,
                            GC_word* bytes_since_gc, GC_word* total_bytes) {
  const std::lock_guard lock(collector().lock());
  store(heap_size, GC_get_heap_size());
  store(free_bytes, GC_get_free_bytes());
  store(unmapped_bytes, GC_get_unmapped_bytes());
  store(bytes_since_gc, GC_get_bytes_since_gc());
  store(total_bytes, GC_get_total_bytes());
}

std::size_t GC_get_prof_stats_unsafe(GC_prof_stats_s* stats, std::size_t bytes) {
  const GC_prof_stats_s all = all_statistics();
  const std::size_t known = std::min(bytes, sizeof all);
  std::memcpy(stats, &all, known);
  std::memset(reinterpret_cast<std::byte*>(stats) + known, 0xff, bytes - known);
  return known;
}

std::size_t GC_get_prof_stats(GC_prof_stats_s* stats, std::size_t bytes) {
  const std::lock_guard lock(collector().lock());
  return GC_get_prof_stats_unsafe(stats, bytes);
}

std::size_t GC_get_size_map_at(int bytes) {
  GC_init();
  const std::size_t whole = static_cast<std::size_t>(bytes) + extra_bytes;
  if (bytes < 0 || whole > heap::kLargestSmallBytes) return std::numeric_limits<std::size_t>::max();
  return heap::SizeClasses::slot_bytes(heap::SizeClasses::class_of(std::max<std::size_t>(whole, 1)));
}

std::size_t GC_get_memory_use() {
  const std::lock_guard lock(collector().lock());
  return heap_now().usage().used;
}

void GC_start_performance_measurement() { settings.measures_time = true; }

unsigned long GC_get_full_gc_total_time() { return whole_milliseconds(time_spent); }
unsigned long GC_get_full_gc_total_ns_frac() {
  return nanoseconds(time_spent % std::chrono::milliseconds(1));
}

unsigned long GC_get_stopped_mark_total_time() { return whole_milliseconds(marking_time); }
unsigned long GC_get_avg_stopped_mark_time_ns() {
  const gc::NestedLock lock(collector().lock());
  return markings == 0 ? 0 : nanoseconds(marking_time) / markings;
}

unsigned long GC_get_processor_time_ns() { return nanoseconds(collector().processor_time()); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
