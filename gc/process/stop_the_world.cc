#include "gc/process/stop_the_world.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/cancellation.h"
#include "base/check.h"
#include "base/work_time.h"
#include "gc/process/snapshot_marking.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/verification.h"
#include "gc/report/dump/heap_dump.h"
#include "mark/statistics.h"

namespace jackdaw::gc {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

CollectionTotals StopTheWorld::collect(CollectionReason reason, const OwnStack& own_stack, Kept kept) {
  JACKDAW_CHECK(parts_.lock.is_held_by_caller() && !parts_.plan.is_cycle_under_way());
  const base::CancellationDisabled guard;
  const base::WorkTime::Span work(parts_.heap.work_time());
  parts_.lock.let_nobody_pass();
  const std::uint64_t live_before = parts_.counters.live_bytes();
  CollectionRecord record{.reason = reason, .used_bytes_before = used_bytes()};
  MarkEngine& marking = prepare_marking(record.used_bytes_before);
  std::optional<Reports::DumpTime> dump;
  if (kept == Kept::reachable) dump.emplace(parts_.reports, parts_.counters.collections() + 1);
  parts_.hooks.tell(CollectionEvent::start);
  const EndTold end_told(parts_.hooks);
  const Clock::time_point start = Clock::now();
  const std::optional<CollectionTotals> result = collect_stopped(marking, own_stack, kept, record);
  // It is thrown when threads run again: to throw takes malloc, whose lock a stopped thread may hold.
  if (!result) throw std::bad_alloc();
  record.pause = parts_.pauses.last_end() - start;
  parts_.counters.note_pause(record.pause);
  {
    const ThreadRegistry::CriticalSection critical(parts_.threads.this_thread());
    parts_.heap_limit.look_after_collection();
  }
  if (kept == Kept::reachable) {
    parts_.plan.note_stopped(start, record.pause, live_before, record.used_bytes_before - live_before);
  } else {
    parts_.plan.note_dropped(start, start + record.pause, record.used_bytes_before - live_before);
  }
  parts_.log(record);
  parts_.reports.write_trace();
  give_back_memory_of_parent();
  parts_.scavenger.note_collection();
  parts_.dead.ask_procedures();
  parts_.heap_size.tell();
  return *result;
}

MarkEngine& StopTheWorld::prepare_marking(std::uint64_t bytes) {
  {
    // In the child of a fork a part of the sweep may be left.
    const ThreadRegistry::CriticalSection critical(parts_.threads.this_thread());
    parts_.heap.finish_sweep();
  }
  const OwnWork own_work;
  MarkEngine& marking = parts_.engine.for_heap_of(bytes, !parts_.threads.suspension().has_suspended());
  parts_.collection.begin(marking);
  return marking;
}

// Gives free memory back in the child of a fork, where a write to it copies its page for nothing, and each
// copy interrupts the processors of the other threads.
void StopTheWorld::give_back_memory_of_parent() {
  if (!std::exchange(has_memory_of_parent_, false)) return;
  const ThreadRegistry::CriticalSection critical(parts_.threads.this_thread());
  parts_.heap.release_free_memory();
}

// Returns nothing, with nothing changed, when there was no memory to note all static data. Never throws.
std::optional<CollectionTotals> StopTheWorld::collect_stopped(MarkEngine& marking, const OwnStack& own_stack,
                                                              Kept kept, CollectionRecord& record) {
  CollectionTrace& trace = parts_.reports.trace();
  const CollectionTrace::Span collection(trace, TracePhase::collection, parts_.counters.collections() + 1,
                                         record.reason);
  trace.count(TraceCounter::allocated, parts_.heap.allocated_bytes());
  const ThreadsStopped threads_stopped(parts_.pauses);
  const Clock::time_point start = Clock::now();
  if (kept == Kept::reachable && !threads_stopped.knows_static_roots()) return std::nullopt;
  // From here on nothing fails: between clearing and marking, live objects look free.
  parts_.hooks.tell(CollectionEvent::mark_start);
  // Helpers that woke earlier would take processors from threads that are to be stopped.
  marking.marker().wake_helpers();
  {
    const CollectionTrace::Span clearing(trace, TracePhase::clear_marks);
    parts_.collection.clear_marks();
  }
  if (kept == Kept::reachable) {
    finish_stopped(own_stack, false);
  } else {
    keep_uncollectable();
    sweep_stopped(false);
  }
  const CollectionResult& result = parts_.collection.finish(start);
  record.stopped_threads = threads_stopped.stopped_threads();
  note(result, record);
  return result;
}

void StopTheWorld::note(const CollectionResult& result, CollectionRecord& record) {
  heap::Heap& heap = parts_.heap;
  record.number = parts_.counters.note_collection(result.live_bytes, heap.usage().allocated);
  parts_.plan.note(result, record.reason, parts_.roots.searched_bytes());
  record.live_bytes = result.live_bytes;
  record.heap_bytes = heap.bytes();
  record.free_bytes = heap.usage().free;
  record.given_back_bytes = heap.usage().given_back;
  record.mark_threads = threads_that_marked(result.workers);
  record.steal_percent = mark::total(result.workers).steal_percent();
  record.markers = parts_.engine.thread_count();
  CollectionTrace& trace = parts_.reports.trace();
  trace.count(TraceCounter::live, record.live_bytes);
  trace.count(TraceCounter::allocated, heap.allocated_bytes());
  trace.count(TraceCounter::heap, record.heap_bytes);
  trace.count(TraceCounter::free, record.free_bytes);
}

void StopTheWorld::finish_stopped(const OwnStack& own_stack, bool sweeps_later) {
  JACKDAW_CHECK(parts_.pauses.is_program_stopped());
  mark_stopped(own_stack);
  sweep_stopped(sweeps_later);
}

void StopTheWorld::mark_stopped(const OwnStack& own_stack) {
  CollectionTrace& trace = parts_.reports.trace();
  {
    const CollectionTrace::Span marking(trace, TracePhase::mark);
    parts_.roots.mark_from_all(roots_of_program(), own_stack);
    if (parts_.hooks.mark_more != nullptr) parts_.dead.mark_more(parts_.hooks.mark_more);
  }
  {
    const CollectionTrace::Span finishing(trace, TracePhase::finish);
    parts_.dead.process();
    parts_.profiling.note_marked(parts_.roots.static_data().unloaded());
  }
  if (verifies_) verify(own_stack);
  parts_.hooks.tell(CollectionEvent::mark_end);
  HeapDumps& dumps = parts_.reports.dumps();
  if (dumps.is_prepared())
    dumps.fork_and_write([&](DumpStream& stream) { return write_dump(stream, own_stack); });
}

void StopTheWorld::keep_uncollectable() {
  const CollectionTrace::Span finishing(parts_.reports.trace(), TracePhase::finish);
  parts_.roots.persistents().clear();
  parts_.dead.drop();
  parts_.profiling.note_marked(parts_.roots.static_data().unloaded());
  parts_.hooks.tell(CollectionEvent::mark_end);
}

void StopTheWorld::sweep_stopped(bool sweeps_later) {
  const CollectionTrace::Span sweeping(parts_.reports.trace(), TracePhase::sweep);
  parts_.hooks.tell(CollectionEvent::reclaim_start);
  if (sweeps_later && !parts_.dead.needs_sweep_at_once()) {
    parts_.collection.start_sweep(heap::OwnedBlocks::left);
  } else {
    parts_.collection.sweep(heap::OwnedBlocks::left);
  }
  parts_.dead.note_swept();
  parts_.hooks.tell(CollectionEvent::reclaim_end);
}

void StopTheWorld::verify(const OwnStack& own_stack) {
  Verification verification(parts_.heap, {parts_.heap.map(), &parts_.weak_references},
                            parts_.counters.collections() + 1);
  parts_.roots.read(verification, parts_.hooks.more_roots, own_stack);
  verification.add_uncollectable();
}

// A marking under way is given up, as in any fork's child; the sweep after one is finished.
bool StopTheWorld::write_snapshot(DumpStream& stream, const OwnStack& own_stack) {
  parts_.marking.after_fork_in_child();
  parts_.heap.finish_sweep();
  parts_.heap.withdraw_uncollectable_slots();
  SnapshotMarking marking(parts_.heap, parts_.weak_references);
  parts_.roots.read(marking, parts_.hooks.more_roots, own_stack);
  return marking.finish() && write_dump(stream, own_stack);
}

// Runs in the child that writes the dump. Returns whether all was written.
bool StopTheWorld::write_dump(DumpStream& stream, const OwnStack& own_stack) {
  HeapDump dump(stream, parts_.heap, {parts_.heap.map(), &parts_.weak_references});
  dump.write_program(parts_.counters.collections() + 1);
  dump.write_object_files();
  dump.write_kinds();
  dump.write_objects();
  const AllocationProfile& profile = parts_.profiling.profile();
  for (const AllocationSites::Site& site : profile.sites())
    dump.write_calls(profile.places_of(site), profile.addresses());
  profile.for_each_sample(
      [&](const heap::Object* object, std::uint32_t site) { dump.write_sample(object, site); });
  parts_.roots.read(dump, parts_.hooks.more_roots, own_stack);
  return dump.write_end();
}

}  // namespace jackdaw::gc
