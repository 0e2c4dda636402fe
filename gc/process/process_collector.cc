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

ProcessCollector::ProcessCollector(const ProcessOptions& options)
    : handles_fork_(options.handles_fork),
      parts_(options),
      world_(parts_, options.verifies),
      cycle_(parts_, world_),
      allocation_(parts_, world_, cycle_),
      inspection_(parts_, world_) {
  if (options.stress_seed != 0) base::Stress::turn_on(options.stress_seed);
  parts_.heap.set_huge_page_use(options.huge_pages);
  if (options.poisons) parts_.heap.poison().turn_on(Poisoning::tell);
  // The memory that every collection needs is reserved now: it may have run out when one starts.
  parts_.collection.begin(parts_.engine.for_heap_of(0));
  for (const heap::Kind& kind : ProcessKinds::kAdded) parts_.heap.add_kind(kind);
  parts_.heap.set_all_addresses_keep(options.all_interior_pointers);
  if (options.starts_disabled) parts_.plan.disable();
  if (parts_.permission.is_granted() && MarkingOnDemand::starts_at_once()) cycle_.start_thread();
  if (handles_fork_ && !ProcessFork::is_handled()) throw std::bad_alloc();
  parts_.plan.apply_growth();
}

// Here the program's stack ends, for the collection that may come, and its registers are saved: in the
// collector's own frames there may be what is left of the program's earlier calls, which shall keep nothing.
void* ProcessCollector::allocate(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses) {
  const std::uintptr_t stack_pointer = stack_pointer_below_registers();
  ProcessThread& thread = parts_.threads.this_thread();
  if (base::Stress::is_on() && !parts_.lock.is_held_by_caller()) [[unlikely]]
    collect_at_random();
  if (inspection_.is_wanted()) [[unlikely]]
    inspection_.serve(stack_pointer);
  void* object = allocation_.allocate({thread, bytes, kind, addresses, stack_pointer});
  if (thread.allocator().take_sample(object)) [[unlikely]]
    parts_.profiling.note(thread, object);
  asm volatile("" : "+r"(object));  // no tail call: this frame stays
  return object;
}

// Collects at random where a thread is about to allocate (JACKDAW_STRESS).
void ProcessCollector::collect_at_random() {
  if (base::Stress::below(stress_interval(parts_.counters.live_bytes(), collections())) != 0) return;
  try {
    switch (base::Stress::below(4)) {
      case 0:
        collect_unless(parts_.hooks.declines);
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

// This runs in a signal handler. A mutator that allocates may serve the inspector before the scavenger does.
void ProcessCollector::take_inspection(pid_t inspector, int descriptor) {
  // Relaxed: the function is set when the collector is whole.
  ProcessCollector& collector = *instance_.load(std::memory_order_relaxed);
  if (collector.inspection_.answer(inspector, descriptor))
    collector.parts_.scavenger.call_soon([] { return instance().inspection_.serve(0); });
}

heap::Freed ProcessCollector::free(void* object) {
  const heap::Freed freed =
      free_explicitly(parts_.threads, parts_.counters, parts_.profiling, static_cast<heap::Object*>(object));
  if (freed.bytes > heap::kLargestSmallBytes) [[unlikely]]
    parts_.scavenger.note_freed();
  return freed;
}

bool ProcessCollector::resize_large(heap::Object* object, std::size_t bytes) {
  const bool is_resized = look_at_heap([&](heap::Heap& heap) { return heap.resize_large(object, bytes); });
  if (is_resized) parts_.scavenger.note_freed();
  return is_resized;
}

CollectionTotals ProcessCollector::collect(CollectionReason reason, StackState stack) {
  parts_.threads.this_thread();
  CollectionTotals result;
  {
    ConcurrentCycle::Lock lock(parts_.lock);
    const OwnStack own_stack{stack_pointer_below_registers(), stack};
    cycle_.finish(lock);
    result = world_.collect(reason, own_stack);
  }
  parts_.dead.run_destructors();
  return result;
}

void ProcessCollector::drop_all_objects() {
  parts_.threads.this_thread();
  {
    ConcurrentCycle::Lock lock(parts_.lock);
    cycle_.finish(lock);
    world_.collect(CollectionReason::request, {stack_pointer_below_registers()}, Kept::uncollectable);
  }
  parts_.heap_size.release_free_memory();
  parts_.dead.run_destructors();
}

bool ProcessCollector::collect_unless(int (*declines)()) {
  parts_.threads.this_thread();
  {
    ConcurrentCycle::Lock lock(parts_.lock);
    const OwnStack own_stack{stack_pointer_below_registers()};
    if (!parts_.plan.may_collect(declines)) return false;
    cycle_.finish(lock);
    world_.collect(CollectionReason::request, own_stack);
  }
  parts_.dead.run_destructors();
  return true;
}

bool ProcessCollector::collect_a_little() {
  using Phase = ConcurrentCycle::Phase;
  parts_.threads.this_thread();
  {
    const std::lock_guard lock(parts_.lock);
    const OwnStack own_stack{stack_pointer_below_registers()};
    const Phase phase = cycle_.phase();
    if (phase == Phase::marking || phase == Phase::sweeping) return true;
    if (phase == Phase::idle) cycle_.note_swept();
    if ((phase == Phase::idle && !parts_.plan.is_due()) || !parts_.plan.may_collect()) return false;
    if (phase == Phase::marked) {
      if (!cycle_.end_marking(own_stack)) return false;
    } else if (!parts_.permission.is_granted() || !parts_.plan.is_next_concurrent() ||
               !cycle_.begin(own_stack)) {
      world_.collect(CollectionReason::allocation, own_stack);
    }
  }
  parts_.dead.run_destructors();
  return cycle_.phase() != Phase::idle;
}

bool ProcessCollector::begin_cycle() {
  parts_.threads.this_thread();
  const std::lock_guard lock(parts_.lock);
  const OwnStack own_stack{stack_pointer_below_registers()};
  if (!parts_.permission.is_granted() || cycle_.phase() != ConcurrentCycle::Phase::idle ||
      !parts_.plan.may_collect())
    return false;
  cycle_.note_swept();
  return cycle_.begin(own_stack);
}

bool ProcessCollector::dump_heap(std::string path) {
  parts_.threads.this_thread();
  HeapDumps::load_compressor();
  DumpFile dump;
  {
    ConcurrentCycle::Lock lock(parts_.lock);
    const OwnStack own_stack{stack_pointer_below_registers()};
    if (parts_.plan.is_disabled()) return false;
    cycle_.finish(lock);
    parts_.reports.dumps().request_at(std::move(path));
    world_.collect(CollectionReason::request, own_stack);
    dump = parts_.reports.dumps().take_requested();
  }
  parts_.dead.run_destructors();
  return dump.await(parts_.reports.dumps().patience());
}

void ProcessCollector::finish_and_disable() {
  parts_.threads.this_thread();
  {
    ConcurrentCycle::Lock lock(parts_.lock);
    const OwnStack own_stack{stack_pointer_below_registers()};
    cycle_.complete(own_stack, lock);
    parts_.plan.disable();
  }
  parts_.dead.run_destructors();
}

bool ProcessCollector::mark_concurrently() {
  parts_.threads.this_thread();
  const base::CancellationDisabled guard;
  const std::lock_guard lock(parts_.lock);
  return cycle_.ask_for_cycles();
}

void ProcessCollector::add_displacement(std::size_t offset) {
  parts_.threads.this_thread();
  ConcurrentCycle::Lock lock(parts_.lock);
  // Objects that the cycle has visited were searched without the new displacement.
  cycle_.finish(lock);
  parts_.heap.displacements().add(offset);
}

std::chrono::nanoseconds ProcessCollector::processor_time() {
  const NestedLock lock(parts_.lock);
  return parts_.processor_time();
}

void ProcessCollector::start_mark_threads() {
  const base::CancellationDisabled guard;
  ConcurrentCycle::Lock lock(parts_.lock);
  cycle_.finish(lock);
  parts_.engine.start_helpers();
  parts_.scavenger.start_thread();
}

void ProcessCollector::end_mark_threads() {
  const base::CancellationDisabled guard;
  ConcurrentCycle::Lock lock(parts_.lock);
  cycle_.finish(lock);
  parts_.marking.end_thread();
  parts_.scavenger.end_thread();
  parts_.engine.end();
}

}  // namespace jackdaw::gc
