// ProcessCollector: the one collector of a process, for programs that are linked with Jackdaw as they are.
//
// Its roots are the stacks and registers of all registered threads, static data and ranges added by hand,
// each word of them taken for an address (conservatively), and the objects that are only freed by hand.
// Threads are stopped by a signal, wherever they are.
//
// Source: Boehm and Weiser, "Garbage Collection in an Uncooperative Environment", SP&E 1988.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "gc/collection.h"
#include "gc/marking.h"
#include "gc/process/collection_reason.h"
#include "gc/process/destructors.h"
#include "gc/process/growth_policy.h"
#include "gc/process/persistent_nodes.h"
#include "gc/process/process_hooks.h"
#include "gc/process/process_kinds.h"
#include "gc/process/static_roots.h"
#include "gc/process/thread_registry.h"
#include "gc/stack_state.h"
#include "gc/weak_references.h"
#include "heap/heap.h"
#include "heap/kind.h"
#include "heap/system_memory.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// How the process's collector is set up.
struct ProcessOptions {
  MarkingOptions marking;
  /// All chunks together never take more.
  std::size_t heap_limit_bytes = std::numeric_limits<std::size_t>::max();
  GrowthPolicy growth;
};

/// Used by any thread; one that is not registered is registered when it allocates or collects.
class ProcessCollector {
 public:
  /// The process's collector. The first call makes it, and registers the calling thread. Never destroyed.
  /// Throws std::bad_alloc.
  static ProcessCollector& instance();
  ProcessCollector(const ProcessCollector&) = delete;
  ProcessCollector& operator=(const ProcessCollector&) = delete;

  /// Memory for an object of at least `bytes` bytes and at least one, cleared as its kind says, or null when
  /// there is none even after a collection.
  void* allocate(std::size_t bytes, heap::KindNumber kind) {
    ProcessThread* const thread = ThreadRegistry::current();
    if (thread != nullptr && bytes <= heap::kLargestSmallBytes) [[likely]] {
      if (void* const object = thread->allocator().allocate_from_run(bytes, kind)) [[likely]]
        return object;
    }
    return allocate_slowly({bytes, kind});
  }
  /// The same for a big object of which only addresses in its first heap::kBlockBytes keep it.
  void* allocate_kept_near_start(std::size_t bytes, heap::KindNumber kind) {
    return bytes <= heap::kLargestSmallBytes
               ? allocate(bytes, kind)
               : allocate_slowly({bytes, kind, heap::LargeAddresses::near_start});
  }
  /// Frees an object, given its first address, now; nothing may use it any more.
  void free(void* object);
  /// Makes an object longer or shorter where it is; false, with nothing changed, when that is not possible.
  /// Bytes that are new are cleared if the object's kind is.
  bool resize_in_place(void* object, std::size_t bytes);
  /// Adds a kind of objects; nothing when there are too many.
  std::optional<heap::KindNumber> add_kind(const heap::Kind& kind) { return heap_.add_kind(kind); }

  /// Collects now, and calls the destructors of dead objects. Waits for a collection under way, then does its
  /// own. Throws std::bad_alloc, with nothing changed.
  CollectionResult collect(CollectionReason reason = CollectionReason::request,
                           StackState stack = StackState::may_hold_references);
  /// Collects if a collection is due, and says whether it did. Throws as above.
  bool collect_if_due();
  /// Collections so far.
  // Relaxed: a number that publishes nothing.
  [[nodiscard]] std::uint64_t collections() const { return collections_.load(std::memory_order_relaxed); }
  /// What the last collection found live.
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_.load(std::memory_order_relaxed); }
  /// Bytes allocated up to the last collection.
  [[nodiscard]] std::uint64_t bytes_before_last_collection() const {
    return bytes_before_.load(std::memory_order_relaxed);
  }

  /// While more disable() than enable() calls were made, no allocation collects.
  // Relaxed, both: a thread sees its own calls in order; another's allocation may come before or after.
  void disable() { disabled_.fetch_add(1, std::memory_order_relaxed); }
  void enable() { disabled_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool is_disabled() const { return disabled_.load(std::memory_order_relaxed) != 0; }

  /// The collector's one lock: no collection begins while it is held. Not recursive; whoever holds it may
  /// neither allocate nor collect.
  std::mutex& lock() { return collecting_; }
  /// Under the lock, or before there are other threads.
  ProcessHooks& hooks() { return hooks_; }
  GrowthPolicy& growth() { return growth_; }
  /// Adds roots to the collection at hand: objects that the words may be addresses in. For
  /// ProcessHooks::more_roots. Throws std::bad_alloc.
  void scan(heap::Words words);
  /// Makes the heap larger by at least so many bytes, which count as free; false when that is not possible.
  bool expand(std::size_t bytes);

  heap::Heap& heap() { return heap_; }
  ThreadRegistry& threads() { return threads_; }
  /// References from outside the heap to objects of C++ types: those that keep their objects, and those that
  /// become 0 when their objects die.
  PersistentNodes& persistents() { return persistents_; }
  PersistentNodes& weak_persistents() { return weak_persistents_; }
  StaticRoots& static_roots() { return static_roots_; }
  [[nodiscard]] std::uint32_t mark_threads() const { return marking_->worker_count(); }

 private:
  class ThreadsStopped;

  // What is asked for.
  struct Request {
    std::size_t bytes;
    heap::KindNumber kind;
    heap::LargeAddresses addresses = heap::LargeAddresses::all;
  };

  explicit ProcessCollector(const ProcessOptions& options);

  ProcessThread& this_thread();
  [[gnu::noinline]] void* allocate_slowly(const Request& request);
  void* try_to_allocate(ProcessThread& thread, const Request& request);
  std::optional<void*> collect_and_allocate(ProcessThread& thread, const Request& request,
                                            std::uint64_t unless_after);
  CollectionResult collect_locked(CollectionReason reason,
                                  StackState stack = StackState::may_hold_references);
  CollectionResult collect_stopped(StackState stack);
  void gather_roots(std::uintptr_t own_stack_pointer, StackState stack);
  void let_go_of_dead();
  [[nodiscard]] bool is_due() const;
  void set_budget();
  void tell(CollectionEvent event) const {
    if (hooks_.event != nullptr) hooks_.event(event);
  }
  void tell_heap_size();

  heap::Heap heap_;
  ThreadRegistry threads_;
  StaticRoots static_roots_;
  std::unique_ptr<Marking> marking_;
  WeakReferences weak_references_;
  Collection collection_;
  std::mutex collecting_;  // held by the thread that collects; guards all below but the atomics
  GrowthPolicy growth_;
  ProcessHooks hooks_;
  heap::SystemVector<heap::Object*> roots_;
  Destructors destructors_;
  PersistentNodes persistents_;
  PersistentNodes weak_persistents_;
  std::uint64_t told_heap_bytes_ = 0;
  std::atomic<std::uint64_t> live_bytes_{0};
  std::atomic<std::uint64_t> bytes_before_{0};
  std::atomic<std::uint64_t> collections_{0};
  std::atomic<std::uint32_t> disabled_{0};
};

}  // namespace jackdaw::gc
