#include "gc/process/process_collector.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/cancellation.h"
#include "base/stress.h"
#include "gc/process/explicit_free.h"
#include "gc/process/fork.h"
#include "gc/process/poisoning.h"
#include "gc/process/process_kinds.h"
#include "gc/process/stress_interval.h"
#include "gc/process/threads/own_work.h"
#include "gc/process/threads/stack_pointer.h"

namespace jackdaw::gc {

namespace {

// The workers' part of the trace.
MarkingOptions noted_in(CollectionTrace& trace, MarkingOptions options) {
  options.engine.time_line = trace.workers();
  return options;
}

}  // namespace

ProcessCollector::ProcessCollector(const ProcessOptions& options)
    : handles_fork_(options.handles_fork),
      heap_(options.heap_limit_bytes, memory_nodes(options.memory)),
      reports_(options),
      threads_(heap_, reports_.trace(), options.stop_patience, options.marking.engine.processors),
      engine_(noted_in(reports_.trace(), options.marking), OwnMemory::is_used()),
      weak_references_(heap_.map()),
      collection_(heap_, &weak_references_),
      dead_(heap_, collection_, weak_references_, lock_, threads_, counters_),
      roots_(heap_, collection_, threads_, dead_.finalization(), dead_.destructors()),
      pauses_(heap_, lock_, threads_, roots_.static_data(), hooks_, reports_.trace()),
      marking_(heap_, collection_, lock_, threads_, reports_.trace(), options.pause_target),
      permission_(options),
      plan_(options, heap_, permission_, marking_, engine_, dead_, hooks_, counters_, reports_.trace()),
      heap_size_(heap_, lock_, threads_, plan_, hooks_),
      world_({heap_, lock_, threads_, weak_references_, collection_, engine_, pauses_, roots_, dead_, plan_,
              heap_size_, reports_, counters_, hooks_},
             options.verifies),
      cycle_({heap_, lock_, threads_, collection_, engine_, pauses_, roots_, dead_, marking_, permission_,
              plan_, heap_size_, world_, reports_, counters_, hooks_}),
      allocation_({heap_, lock_, pauses_, dead_, permission_, plan_, heap_size_, world_, cycle_, counters_}) {
  if (options.stress_seed != 0) base::Stress::turn_on(options.stress_seed);
  if (options.poisons) heap_.poison().turn_on(Poisoning::tell);
  // The memory that every collection needs is reserved now: it may have run out when one starts.
  collection_.begin(engine_.for_heap_of(0));
  for (const heap::Kind& kind : ProcessKinds::kAdded) heap_.add_kind(kind);
  heap_.set_all_addresses_keep(options.all_interior_pointers);
  if (options.starts_disabled) plan_.disable();
  // Else to start it may wait for a thread that waits for the collector.
  if (permission_.is_granted() && OwnMemory::is_used()) cycle_.start_thread();
  if (handles_fork_ && !ProcessFork::is_handled()) throw std::bad_alloc();
  plan_.apply_growth();
}

void* ProcessCollector::allocate_from_block(std::size_t bytes, heap::KindNumber kind) {
  ProcessThread* const thread = ThreadRegistry::current();
  // Relaxed: a registered thread knows it. A callback allocates elsewhere while the program stands still.
  if (thread == nullptr || instance_.load(std::memory_order_relaxed)->lock_.is_held_by_caller())
    return nullptr;
  if (base::Stress::is_on()) [[unlikely]]
    return nullptr;  // so that the collector is asked
  const ThreadRegistry::CriticalSection critical(*thread);
  return thread->allocator().allocate_from_block(bytes, kind);
}

// Here the program's stack ends, for the collection that may come, and its registers are saved: in the
// collector's own frames there may be what is left of the program's earlier calls, which shall keep nothing.
void* ProcessCollector::allocate(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses) {
  const std::uintptr_t stack_pointer = stack_pointer_below_registers();
  ProcessThread& thread = threads_.this_thread();
  if (base::Stress::is_on() && !lock_.is_held_by_caller()) [[unlikely]]
    collect_at_random();
  void* object = allocation_.allocate({heap_, thread, bytes, kind, addresses, stack_pointer});
  asm volatile("" : "+r"(object));  // no tail call: this frame stays
  return object;
}

// Where a thread is about to allocate (JACKDAW_STRESS).
void ProcessCollector::collect_at_random() {
  if (base::Stress::below(stress_interval(counters_.live_bytes(), collections())) != 0) return;
  try {
    switch (base::Stress::below(4)) {
      case 0:
        collect_unless(hooks_.declines);
        break;
      case 1:
        collect_a_little();
        break;
      default:
        begin_cycle();
        break;
    }
  } catch (const std::bad_alloc&) {  // then no collection
  }
}

void ProcessCollector::free(void* object) {
  free_explicitly(threads_, counters_, static_cast<heap::Object*>(object));
}

CollectionTotals ProcessCollector::collect(CollectionReason reason, StackState stack) {
  threads_.this_thread();
  CollectionTotals result;
  {
    ConcurrentCycle::Lock lock(lock_);
    const OwnStack own_stack{stack_pointer_below_registers(), stack};
    cycle_.finish(lock);
    result = world_.collect(reason, own_stack);
  }
  dead_.run_destructors();
  return result;
}

bool ProcessCollector::collect_unless(int (*declines)()) {
  threads_.this_thread();
  {
    ConcurrentCycle::Lock lock(lock_);
    const OwnStack own_stack{stack_pointer_below_registers()};
    if (!plan_.may_collect(declines)) return false;
    cycle_.finish(lock);
    world_.collect(CollectionReason::request, own_stack);
  }
  dead_.run_destructors();
  return true;
}

bool ProcessCollector::collect_a_little() {
  using Phase = ConcurrentCycle::Phase;
  threads_.this_thread();
  {
    const std::lock_guard lock(lock_);
    const OwnStack own_stack{stack_pointer_below_registers()};
    const Phase phase = cycle_.phase();
    if (phase == Phase::marking || phase == Phase::sweeping) return true;
    if (phase == Phase::idle) plan_.note_swept();
    if ((phase == Phase::idle && !plan_.is_due()) || !plan_.may_collect()) return false;
    if (phase == Phase::marked) {
      if (!cycle_.end_marking(own_stack)) return false;
    } else if (!permission_.is_granted() || !plan_.is_next_concurrent() || !cycle_.begin(own_stack)) {
      world_.collect(CollectionReason::allocation, own_stack);
    }
  }
  dead_.run_destructors();
  return cycle_.phase() != Phase::idle;
}

bool ProcessCollector::begin_cycle() {
  threads_.this_thread();
  const std::lock_guard lock(lock_);
  const OwnStack own_stack{stack_pointer_below_registers()};
  if (!permission_.is_granted() || cycle_.phase() != ConcurrentCycle::Phase::idle || !plan_.may_collect())
    return false;
  plan_.note_swept();
  return cycle_.begin(own_stack);
}

bool ProcessCollector::dump_heap(std::string path) {
  threads_.this_thread();
  HeapDumps::load_compressor();
  DumpFile dump;
  {
    ConcurrentCycle::Lock lock(lock_);
    const OwnStack own_stack{stack_pointer_below_registers()};
    if (plan_.is_disabled()) return false;
    cycle_.finish(lock);
    reports_.dumps().request_at(std::move(path));
    world_.collect(CollectionReason::request, own_stack);
    dump = reports_.dumps().take_requested();
  }
  dead_.run_destructors();
  return dump.await(reports_.dumps().patience());
}

bool ProcessCollector::mark_concurrently() {
  threads_.this_thread();
  const base::CancellationDisabled guard;
  const std::lock_guard lock(lock_);
  return cycle_.ask_for_cycles();
}

void ProcessCollector::add_displacement(std::size_t offset) {
  threads_.this_thread();
  ConcurrentCycle::Lock lock(lock_);
  // Objects that the cycle has visited were searched without the new displacement.
  cycle_.finish(lock);
  heap_.displacements().add(offset);
}

void ProcessCollector::start_mark_threads() {
  const base::CancellationDisabled guard;
  ConcurrentCycle::Lock lock(lock_);
  cycle_.finish(lock);
  engine_.start_helpers();
}

void ProcessCollector::end_mark_threads() {
  const base::CancellationDisabled guard;
  ConcurrentCycle::Lock lock(lock_);
  cycle_.finish(lock);
  marking_.end_thread();
  engine_.end();
}

}  // namespace jackdaw::gc
