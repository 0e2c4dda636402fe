#include "gc/cpp/collect_garbage.h"

#include "gc/process/process_collector.h"

namespace jackdaw {

void collect_garbage(StackState stack) {
  gc::ProcessCollector::instance().collect(gc::CollectionReason::request, stack);
}

void drop_all_objects() { gc::ProcessCollector::instance().drop_all_objects(); }

bool dump_heap(const char* path) { return gc::ProcessCollector::instance().dump_heap(path); }

void start_profile(std::uint64_t every) { gc::ProcessCollector::instance().profiling().start(every); }

void stop_profile() { gc::ProcessCollector::instance().profiling().stop(); }

bool write_profile(const char* path) { return gc::ProcessCollector::instance().profiling().write(path); }

std::chrono::nanoseconds collector_processor_time() {
  return gc::ProcessCollector::instance().processor_time();
}

HeapStatistics heap_statistics() {
  gc::ProcessCollector& collector = gc::ProcessCollector::instance();
  return {.collections = collector.collections(),
          .heap_bytes = collector.heap().chunk_bytes(),
          .live_bytes = collector.counters().live_bytes(),
          .allocated_bytes = collector.heap().allocated_bytes()};
}

}  // namespace jackdaw
