#include "gc/process/collector_parts.h"

namespace jackdaw::gc {

namespace {

// The workers' part of the trace.
MarkingOptions noted_in(CollectionTrace& trace, MarkingOptions options) {
  options.engine.time_line = trace.workers();
  return options;
}

}  // namespace

CollectorParts::CollectorParts(const ProcessOptions& options)
    : heap(options.heap_limit_bytes, memory_nodes(options.memory)),
      heap_limit(options, heap),
      reports(options),
      threads(heap, reports.trace(), options.stop_patience, options.marking.engine.processors),
      profiling(heap, threads),
      engine(noted_in(reports.trace(), options.marking), MarkingOnDemand::starts_at_once()),
      weak_references(heap.map()),
      collection(heap, &weak_references),
      dead(heap, collection, weak_references, lock, threads, counters, profiling),
      roots(heap, collection, threads, dead.finalization(), dead.destructors()),
      pauses(heap, lock, threads, roots.static_data(), hooks, reports.trace()),
      marking(heap, collection, lock, threads, reports.trace(), options.pause_target),
      permission(options),
      plan(options, heap, permission, marking, engine, dead, hooks, counters, reports.trace()),
      heap_size(heap, heap_limit, lock, threads, plan, hooks),
      scavenger(options, heap, lock, threads, plan) {}

}  // namespace jackdaw::gc
