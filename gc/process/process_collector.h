// ProcessCollector: the one collector of a process, for programs that are linked with Jackdaw as they are.
//
// Its roots are the stacks and registers of all registered threads, static data and ranges added by hand,
// each word of them taken for an address (conservatively), and the objects that are only freed by hand.
// Threads are stopped by a signal, wherever they are.
//
// Source: Boehm and Weiser, "Garbage Collection in an Uncooperative Environment", SP&E 1988.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "gc/finalization/finalization.h"
#include "gc/finalization/weak_processing.h"
#include "gc/marking/collection.h"
#include "gc/marking/marking.h"
#include "gc/process/concurrent/concurrent_marking.h"
#include "gc/process/concurrent/concurrent_pacing.h"
#include "gc/process/destructors.h"
#include "gc/process/disclaim_procedures.h"
#include "gc/process/growth_policy.h"
#include "gc/process/marking_on_demand.h"
#include "gc/process/process_hooks.h"
#include "gc/process/process_kinds.h"
#include "gc/process/process_options.h"
#include "gc/process/roots/persistent_nodes.h"
#include "gc/process/roots/static_roots.h"
#include "gc/process/threads/stack_state.h"
#include "gc/process/threads/stoppable_mutex.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/process/verification.h"
#include "gc/report/collection_log.h"
#include "gc/report/collection_reason.h"
#include "gc/report/dump/heap_dump.h"
#include "gc/report/dump/heap_dumps.h"
#include "gc/report/trace/collection_trace.h"
#include "gc/weak/weak_references.h"
#include "heap/allocator.h"
#include "heap/heap.h"
#include "heap/kind.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Used by any thread; one that is not registered is registered when it allocates or collects.
class ProcessCollector {
 public:
  /// The process's collector. The first call makes it, and registers the calling thread. Never destroyed.
  /// Throws std::bad_alloc.
  static ProcessCollector& instance() {
    // Acquire: pairs with the release in make_instance, so that the collector is whole.
    ProcessCollector* const made = instance_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_instance();
  }
  ProcessCollector(const ProcessCollector&) = delete;
  ProcessCollector& operator=(const ProcessCollector&) = delete;

  /// Memory for an object of at least `bytes` bytes and at least one, cleared as its kind says, or null when
  /// there is none even after a collection.
  void* allocate(std::size_t bytes, heap::KindNumber kind) {
    if (bytes <= heap::kLargestSmallBytes) [[likely]] {
      if (void* const object = allocate_from_run(bytes, kind)) [[likely]]
        return object;
    }
    return allocate_slowly(bytes, kind, heap::LargeAddresses::all);
  }
  /// The fast half of it, for at most heap::kLargestSmallBytes: null when the calling thread has no free
  /// slots at hand, or is not registered. Needs no instance.
  static void* allocate_from_run(std::size_t bytes, heap::KindNumber kind) {
    ProcessThread* const thread = ThreadRegistry::current();
    if (thread == nullptr) [[unlikely]]
      return nullptr;
    return thread->allocator().allocate_from_run(bytes, kind);
  }
  /// The same, also of those that are free in the block at hand, or were freed by hand. The calling thread is
  /// registered.
  static void* allocate_from_block(std::size_t bytes, heap::KindNumber kind);
  /// As allocate, for a big object of which only addresses in its first heap::kBlockBytes keep it.
  void* allocate_kept_near_start(std::size_t bytes, heap::KindNumber kind) {
    return bytes <= heap::kLargestSmallBytes ? allocate(bytes, kind)
                                             : allocate_slowly(bytes, kind, heap::LargeAddresses::near_start);
  }
  /// Frees an object, given its first address, now; nothing may use it any more.
  void free(void* object);
  /// Makes an object longer or shorter where it is; false, with nothing changed, when that is not possible.
  /// Bytes that are new are cleared if the object's kind is.
  bool resize_in_place(void* object, std::size_t bytes);
  /// From now on an address so many bytes behind an object's start keeps it. Throws std::bad_alloc.
  void add_displacement(std::size_t offset);
  /// Adds a kind of objects; nothing when there are too many. Throws std::bad_alloc.
  std::optional<heap::KindNumber> add_kind(const heap::Kind& kind);

  /// Held while the collector is made, and around every fork, so that no child finds it half made. Whoever
  /// holds it may call instance().
  static StoppableMutex& starting() { return starting_; }
  /// The options that the collector is made with. To be changed before the first call of instance() only.
  static ProcessOptions& initial_options();

  /// Collects now, and calls the destructors of dead objects. Waits for a collection under way, then does its
  /// own. Throws std::bad_alloc, with nothing changed.
  CollectionTotals collect(CollectionReason reason = CollectionReason::request,
                           StackState stack = StackState::may_hold_references);
  /// The same, unless collections are disabled or `declines`, where it is not null, returns something other
  /// than zero: it is asked with the lock held, before any thread is stopped. Whether it did. Throws as
  /// above.
  bool collect_unless(int (*declines)());
  /// Unless collections are disabled, begins a cycle when a collection is due, or ends its marking when that
  /// is; unless marks_concurrently(), collects when that is due. Whether a cycle is under way that goes on.
  /// Throws as above.
  bool collect_a_little();
  /// Begins a cycle now; false, with nothing changed, when one is under way, collections are disabled or
  /// objects are not marked while the program runs. Throws as above.
  bool begin_cycle();
  /// Collects, unless collections are disabled, and leaves a dump of the heap at `path` (HeapDumps::set).
  /// Whether it is there when this returns.
  bool dump_heap(std::string path);
  /// From now on objects are marked while the program runs, where to stop it would take longer than
  /// pause_target(); false, with one line on the error output, when the system does not allow that, and false
  /// when the options forbid it. The threads are stopped for a moment. Without this call, and by default,
  /// they are only where to stop it would take much longer than that.
  bool mark_concurrently();
  /// Whether the program or the environment asked for that, and the system allows it.
  // Relaxed, all, also where they are written: values that publish nothing.
  [[nodiscard]] bool marks_concurrently() const {
    return marks_concurrently_.load(std::memory_order_relaxed);
  }
  /// How long the program should stand still at a time then: no promise. Any thread, also with the lock held.
  void limit_pauses(std::chrono::milliseconds target) { concurrent_.set_pause_target(target); }
  [[nodiscard]] std::chrono::milliseconds pause_target() const { return concurrent_.pause_target(); }
  /// Collections so far.
  // Relaxed: a number that publishes nothing.
  [[nodiscard]] std::uint64_t collections() const { return collections_.load(std::memory_order_relaxed); }
  /// The bytes that the last collection found live.
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_.load(std::memory_order_relaxed); }
  /// Bytes allocated up to the last collection.
  [[nodiscard]] std::uint64_t bytes_before_last_collection() const {
    return bytes_before_.load(std::memory_order_relaxed);
  }
  /// Bytes that were freed by hand: by the calling thread all, by others a block's worth at a time. Begins
  /// anew with every collection.
  [[nodiscard]] std::uint64_t freed_bytes() const;
  /// Counts bytes as allocated, or freed by hand, that the program handled by itself. Any thread.
  void count_allocated_elsewhere(std::uint64_t bytes);
  void count_freed_elsewhere(std::uint64_t bytes);

  /// While more disable() than enable() calls were made, no allocation collects.
  // Relaxed, both: a thread sees its own calls in order; another's allocation may come before or after.
  void disable() { disabled_.fetch_add(1, std::memory_order_relaxed); }
  void enable() { disabled_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool is_disabled() const { return disabled_.load(std::memory_order_relaxed) != 0; }

  /// The collector's one lock: no collection begins while it is held. Not recursive. Whoever holds it may
  /// allocate, but not collect: the heap grows for that.
  StoppableMutex& lock() { return collecting_; }
  /// Under the lock, or before there are other threads.
  ProcessHooks& hooks() { return hooks_; }
  GrowthPolicy& growth() { return growth_; }
  /// After a change of growth(). Under the lock, or before there are other threads.
  void apply_growth();
  /// After a change of the finalizers that are registered in finalization(). Under the lock.
  void apply_finalizers();
  /// The program's procedures that are asked about dead objects. Any thread.
  DisclaimProcedures& disclaim_procedures() { return disclaim_procedures_; }
  /// The tables of finalizers, weak links and toggle references. Under the lock.
  Finalization& finalization() { return finalization_; }
  /// See FinalizerKind::unreachable. Under the lock, or before there are other threads.
  void set_java_finalization(bool java) { java_finalization_ = java; }
  /// Adds roots to the collection at hand: objects that the words may be addresses in. For
  /// ProcessHooks::more_roots.
  void scan(heap::Words words);
  /// Adds roots from words of a stack, where all addresses count (Heap::set_all_addresses_keep).
  void scan_stack(heap::Words words);
  /// The heap never gets larger than so many bytes from now on.
  void set_heap_limit(std::size_t bytes);
  /// Makes the heap larger by at least so many bytes, which count as free; false when that is not possible.
  bool expand(std::size_t bytes);
  /// Gives the heap's free memory back to the system.
  void release_free_memory();

  /// Has a registered thread stand still until it is resumed (ThreadRegistry::suspend). Collections go on,
  /// and scan its stack. One that holds a lock of the collector's first releases it.
  void suspend(pthread_t thread);
  void resume(pthread_t thread);

  /// Around a fork whose child uses the heap: right before it, and right after it in the parent (also when
  /// there is no child) and in the child. In between the caller must not touch the heap. With
  /// ProcessOptions::handles_fork the system's fork() calls them.
  void prepare_fork();
  void after_fork_in_parent();
  void after_fork_in_child();
  /// Whether it does.
  [[nodiscard]] bool handles_fork() const { return handles_fork_; }
  /// The collector, if it was made; else null. By the holder of starting().
  // Relaxed: written under that lock.
  static ProcessCollector* if_made() { return instance_.load(std::memory_order_relaxed); }

  heap::Heap& heap() { return heap_; }
  /// Calls `function(Heap&)` while the calling thread is not stopped: for what takes the heap's lock.
  template <typename Function>
  void look_at_heap(Function function) {
    const ThreadRegistry::CriticalSection critical(this_thread());
    function(heap_);
  }
  ThreadRegistry& threads() { return threads_; }
  /// Which phase a cycle is in.
  ConcurrentMarking& concurrent_marking() { return concurrent_; }
  /// References from outside the heap to objects of C++ types: those that keep their objects, and those that
  /// become 0 when their objects die.
  PersistentNodes& persistents() { return persistents_; }
  PersistentNodes& weak_persistents() { return weak_persistents_; }
  StaticRoots& static_roots() { return static_roots_; }
  /// Threads that mark, the collecting one included.
  [[nodiscard]] std::uint32_t mark_threads() const { return marking_.thread_count(); }
  /// Starts the mark threads, if they are not there. Throws as a MarkingMaker.
  void start_mark_threads();
  /// Ends them. Nothing may be allocated or collected afterwards.
  void end_mark_threads();

 private:
  class ThreadsStopped;
  class EndTold;

  // A request for memory.
  struct Request {
    std::size_t bytes;
    heap::KindNumber kind;
    heap::LargeAddresses addresses;
    // Where the calling thread's stack ends. What is below is the collector's own.
    std::uintptr_t stack_pointer;
  };

  explicit ProcessCollector(const ProcessOptions& options);
  [[gnu::noinline]] static ProcessCollector& make_instance();

  ProcessThread& this_thread();
  [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, heap::KindNumber kind,
                                          heap::LargeAddresses addresses);
  void* allocate_requested(const Request& request);
  void collect_at_random();
  void* try_to_allocate(ProcessThread& thread, const Request& request) {
    return try_to_allocate(thread, thread.allocator(), request);
  }
  void* try_to_allocate(ProcessThread& thread, heap::Allocator& allocator, const Request& request);
  void* allocate_in_callback(ProcessThread& thread, const Request& request);
  void begin_pause();
  void scan_made_in_pause();
  void end_pause();
  void* allocate_beyond_budget(ProcessThread& thread, const Request& request);
  std::optional<void*> collect_and_allocate(ProcessThread& thread, const Request& request,
                                            std::uint64_t unless_after);
  // The collecting thread's stack, as far as it is the program's.
  struct OwnStack {
    std::uintptr_t pointer;
    StackState state = StackState::may_hold_references;
  };

  Marking& prepare_marking(std::uint64_t bytes);
  void write_trace();
  void give_back_memory_of_parent();
  CollectionTotals collect_locked(CollectionReason reason, const OwnStack& own_stack);
  std::optional<CollectionTotals> collect_stopped(Marking& marking, const OwnStack& own_stack,
                                                  CollectionRecord& record);
  void note(const CollectionResult& result, CollectionRecord& record);
  void note_allocating_threads();
  struct Budgets {
    std::uint64_t all;
    std::uint64_t while_growing;
  };
  [[nodiscard]] Budgets planned_budgets();
  void note_refused(std::size_t bytes);
  [[nodiscard]] bool may_have_cycles() const { return marks_concurrently() || marks_unasked_; }
  [[nodiscard]] bool is_next_concurrent();
  bool may_begin_unasked();
  bool begin_concurrent_marking(const OwnStack& own_stack,
                                CollectionReason reason = CollectionReason::allocation);
  std::optional<std::span<heap::Object* const>> begin_stopped(const OwnStack& own_stack);
  bool write_dump(DumpStream& stream, const OwnStack& own_stack);
  template <typename Reader>
  void read_roots(Reader& reader, const OwnStack& own_stack);
  void verify(const OwnStack& own_stack);
  std::span<heap::Object* const> gather_first_roots(const OwnStack& own_stack);
  bool end_concurrent_marking(const OwnStack& own_stack);
  void note_swept();
  void await_end_of(ConcurrentMarking::Phase phase, std::chrono::nanoseconds time);
  void give_up_marking();
  std::optional<std::optional<void*>> go_on_concurrently(ProcessThread& thread, const Request& request);
  void end_cycle();
  void finish_stopped(const OwnStack& own_stack, bool sweeps_later);
  void mark_from_roots(const OwnStack& own_stack);
  void gather_roots(const OwnStack& own_stack);
  void mark_some_roots();
  void add_root(heap::Object* object) {
    if (root_count_ == gathered_.size()) [[unlikely]] {
      if (gathered_.data() != roots_.data()) return;  // it is marked in the last pause
      mark_some_roots();
    }
    gathered_[root_count_++] = object;
  }
  void define_gathered() const;
  void clear_dead();
  [[nodiscard]] bool is_due();
  [[nodiscard]] bool tracks_writes();
  bool start_tracking();
  bool collect_by_stopping(const char* reason);
  bool start_concurrent_thread();
  [[nodiscard]] CollectionReason reason_of_refusal(std::size_t bytes, std::uint64_t budget) const;
  [[nodiscard]] bool is_worth_a_collection(CollectionReason reason) const;
  void* allocate_within_new_budget(ProcessThread& thread, const Request& request);
  [[nodiscard]] std::uint64_t uncounted_bytes() const {
    return hooks_.uncounted_bytes != nullptr ? hooks_.uncounted_bytes() : 0;
  }
  void set_budget(std::uint64_t more = 0);
  void process_finalization();
  void count_freed(std::uint64_t bytes);
  [[nodiscard]] bool may_collect(int (*declines)()) const;
  void tell(CollectionEvent event) const {
    if (hooks_.event != nullptr) hooks_.event(event);
  }
  void tell_threads(ThreadEvent event);
  template <typename Function>
  void for_each_fork_lock(Function function);
  void tell_heap_size();

  // Marked together. More would be a large part of a heap of uncollectable objects, which are all roots.
  static constexpr std::size_t kMostRoots = std::size_t{1} << 16;
  // Found together, to be marked while the program runs.
  static constexpr std::size_t kMostFirstRoots = std::size_t{1} << 20;

  static std::atomic<ProcessCollector*> instance_;
  static StoppableMutex starting_;

  const bool handles_fork_;
  heap::Heap heap_;
  CollectionTrace trace_;
  ThreadRegistry threads_;
  StaticRoots static_roots_;
  std::optional<CollectionLog> log_;
  HeapDumps dumps_;
  HeapDump* dump_ = nullptr;  // that the words of roots go to, in the child that writes it
  const bool verifies_;
  Verification* verification_ = nullptr;  // that they go to, while there is one
  MarkingOnDemand marking_;
  WeakReferences weak_references_;
  Collection collection_;
  ConcurrentMarking concurrent_;
  const std::uint32_t processors_;
  const bool may_mark_concurrently_;
  bool is_asked_to_mark_concurrently_;    // whether or not that is possible
  std::atomic<bool> marks_concurrently_;  // because it is asked to; written under the lock
  bool marks_unasked_;                    // where to stop the program takes long
  bool told_of_stopping_ = false;
  const std::uint32_t most_concurrent_markers_;
  ConcurrentPacing pacing_;
  CollectionReason cycle_reason_ = CollectionReason::allocation;
  bool is_swept_unnoted_ = false;      // the sweep of the last cycle said what is live, and nobody noted it
  bool has_memory_of_parent_ = false;  // as a child of a fork that has not collected yet
  StoppableMutex collecting_;          // held by the thread that collects; guards all below but the atomics
  GrowthPolicy growth_;
  ProcessHooks hooks_;
  bool stands_still_ = false;  // the program does, for the thread that holds the lock
  // For callbacks while it does: what comes of it is marked, as its blocks are taken after marks were
  // cleared.
  heap::Allocator pause_allocator_{heap_};
  base::PageVector<heap::Object*> made_in_pause_;
  // Never longer: what grows is unmapped, and may lie where the program told that roots were.
  base::PageArray<heap::Object*> roots_{kMostRoots};
  base::PageArray<heap::Object*> first_roots_;                       // none before the first cycle
  std::span<heap::Object*> gathered_{roots_.data(), roots_.size()};  // the one or the other
  std::size_t root_count_ = 0;
  GrowthPolicy::Found found_;           // by the last collection
  std::uint64_t uncounted_before_ = 0;  // at the last collection
  Finalization finalization_;
  WeakProcessing weak_processing_;
  bool java_finalization_ = false;
  bool finalized_lately_ = false;        // whether the last collection made a finalizer ready
  std::uint64_t finalizers_before_ = 0;  // registered when the last collection was over
  Destructors destructors_;
  DisclaimProcedures disclaim_procedures_;
  PersistentNodes persistents_;
  PersistentNodes weak_persistents_;
  std::uint64_t told_heap_bytes_ = 0;
  std::uint64_t refusals_ = 0;  // of memory, since some was last found
  std::atomic<std::uint64_t> live_bytes_{0};
  std::atomic<std::uint64_t> bytes_before_{0};
  std::atomic<std::uint64_t> freed_bytes_{0};
  std::atomic<std::uint64_t> collections_{0};
  std::atomic<std::uint32_t> disabled_{0};
};

}  // namespace jackdaw::gc
