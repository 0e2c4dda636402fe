// ProcessCollector: the one collector of a process, for programs that are linked with Jackdaw as they are.
//
// A facade: it makes the parts (CollectorParts), lets threads in, and hands on. What is allocated slowly is
// in AllocationSlowPath, collections are in StopTheWorld and ConcurrentCycle. start.cc makes the collector,
// fork.cc takes it through a fork.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/stress.h"
#include "gc/marking/collection.h"
#include "gc/process/allocation.h"
#include "gc/process/collector_parts.h"
#include "gc/process/concurrent_cycle.h"
#include "gc/process/inspection.h"
#include "gc/process/process_options.h"
#include "gc/process/stop_the_world.h"

namespace jackdaw::gc {

/// Used by any thread; one that is not registered is registered when it allocates or collects.
class ProcessCollector {
 public:
  /// The first call makes it, and registers the calling thread. Never destroyed. Throws std::bad_alloc.
  static ProcessCollector& instance() {
    // Acquire: pairs with the release in make_instance, so that the collector is whole.
    ProcessCollector* const made = instance_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_instance();
  }
  /// Held while the collector is made, and around every fork, so that no child finds it half made. Its holder
  /// may call instance().
  static StoppableMutex& starting() { return starting_; }
  /// Returns the options for instance(), which may be changed before its first call only.
  static ProcessOptions& initial_options();
  ProcessCollector(const ProcessCollector&) = delete;
  ProcessCollector& operator=(const ProcessCollector&) = delete;

  /// Memory for an object of at least `bytes` bytes and at least one, cleared as its kind says, or null when
  /// there is none even after a collection. `addresses`: those that keep a large object. Where time counts,
  /// allocate_from_run is tried before, and then allocate_from_block.
  void* allocate(std::size_t bytes, heap::KindNumber kind,
                 heap::LargeAddresses addresses = heap::LargeAddresses::all);
  /// Allocates from the calling thread's free slots at hand, at most heap::kLargestSmallBytes. Null when
  /// there are none, or the thread is not registered. Needs no instance.
  static void* allocate_from_run(std::size_t bytes, heap::KindNumber kind) {
    ProcessThread* const thread = ThreadRegistry::current();
    if (thread == nullptr) [[unlikely]]
      return nullptr;
    return thread->allocator().allocate_from_run(bytes, kind);
  }
  /// Allocates as allocate_from_run() does, but from the rest of the block at hand. Null also where a
  /// collection may be due.
  static void* allocate_from_block(std::size_t bytes, heap::KindNumber kind) {
    ProcessThread* const thread = ThreadRegistry::current();
    // Relaxed: a registered thread knows it. A callback allocates elsewhere while the program is stopped.
    if (thread == nullptr || instance_.load(std::memory_order_relaxed)->parts_.lock.is_held_by_caller())
      return nullptr;
    if (base::Stress::is_on()) [[unlikely]]
      return nullptr;  // so that the collector is asked
    void* object = nullptr;
    {
      const ThreadRegistry::CriticalSection critical(*thread);
      object = thread->allocator().allocate_from_block(bytes, kind);
    }
    if (thread->allocator().take_sample(object)) [[unlikely]]
      instance_.load(std::memory_order_relaxed)->parts_.profiling.note(*thread, object);
    return object;
  }
  /// Frees an object, given its first address, now; nothing may use it any more.
  heap::Freed free(void* object);
  /// Changes the length of a large object in place: see heap::Heap::resize_large(). Throws std::bad_alloc
  /// where the thread cannot be registered.
  bool resize_large(heap::Object* object, std::size_t bytes);

  /// Collects now, and calls the destructors of dead objects. Waits for a collection under way, then does its
  /// own. Throws std::bad_alloc, with nothing changed.
  CollectionTotals collect(CollectionReason reason = CollectionReason::request,
                           StackState stack = StackState::may_hold_references);
  /// Frees all objects but uncollectable ones without marking, and returns their memory to the system. The
  /// program must not use what it held any more: not by references in any thread, and not from uncollectable
  /// objects. Persistent handles and weak references become null; finalizers are forgotten, and neither
  /// destructors nor disclaim procedures called, except for objects that an earlier collection found dead.
  /// Also while collections are disabled. Throws std::bad_alloc, with nothing changed.
  void drop_all_objects();
  /// Collects, unless collections are disabled or `declines`, which may be null, does not return zero: it is
  /// called with the lock held, before threads are stopped. Returns whether it collected. Throws as above.
  bool collect_unless(int (*declines)());
  /// Begins a cycle, ends its marking, or, where there are no cycles, collects, if a collection is due and
  /// collections are not disabled. Returns whether a cycle is under way that goes on. Throws as collect().
  bool collect_a_little();
  /// Begins a cycle; false, with nothing changed, when none may begin now. Throws as above.
  bool begin_cycle();
  /// Disables collections, as CollectionPlan::disable() does, when the cycle under way is over. Throws as
  /// above.
  void finish_and_disable();
  /// See ConcurrentCycle::ask_for_cycles.
  bool mark_concurrently();
  /// Collects, unless that is disabled, and leaves a heap dump at `path` (HeapDumps::set). Whether it is
  /// there.
  bool dump_heap(std::string path);
  /// Starts the mark threads, if they are not there, and ends them. Throws as a MarkEngineMaker.
  void start_mark_threads();
  void end_mark_threads();  ///< nothing may be allocated or collected afterwards
  /// Threads that mark, the collecting one included.
  [[nodiscard]] std::uint32_t mark_threads() const { return parts_.engine.thread_count(); }
  [[nodiscard]] std::uint64_t collections() const { return parts_.counters.collections(); }
  /// See CollectorParts. Takes the lock, unless the caller holds it.
  [[nodiscard]] std::chrono::nanoseconds processor_time();

  /// Lets an address `offset` bytes behind an object's start keep it from now on. Throws std::bad_alloc.
  void add_displacement(std::size_t offset);
  /// Calls `function(Heap&)` while the calling thread is not stopped: for what takes the heap's lock.
  template <typename Function>
  auto look_at_heap(Function function) {
    const ThreadRegistry::CriticalSection critical(parts_.threads.this_thread());
    return function(parts_.heap);
  }

  /// The collector's one lock: no collection begins while it is held. Not recursive. Its holder may allocate,
  /// but not collect: the heap grows for that.
  StoppableMutex& lock() { return parts_.lock; }
  /// Under the lock, or before there are other threads.
  ProcessHooks& hooks() { return parts_.hooks; }
  heap::Heap& heap() { return parts_.heap; }
  ThreadRegistry& threads() { return parts_.threads; }
  HeapSize& heap_size() { return parts_.heap_size; }
  RootSet& roots() { return parts_.roots; }
  Pauses& pauses() { return parts_.pauses; }
  DeadObjects& dead() { return parts_.dead; }
  Profiling& profiling() { return parts_.profiling; }
  CollectionPlan& plan() { return parts_.plan; }
  Scavenger& scavenger() { return parts_.scavenger; }
  ProcessCounters& counters() { return parts_.counters; }
  ConcurrentMarking& concurrent_marking() { return parts_.marking; }
  [[nodiscard]] const CyclePermission& cycle_permission() const { return parts_.permission; }

 private:
  explicit ProcessCollector(const ProcessOptions& options);
  [[gnu::noinline]] static ProcessCollector& make_instance();
  void collect_at_random();
  static void take_inspection(pid_t inspector, int descriptor);
  friend class ProcessFork;  // takes all parts through a fork

  static std::atomic<ProcessCollector*> instance_;
  static StoppableMutex starting_;

  const bool handles_fork_;
  CollectorParts parts_;
  StopTheWorld world_;
  ConcurrentCycle cycle_;
  AllocationSlowPath allocation_;
  Inspection inspection_;
};

}  // namespace jackdaw::gc
