// ProcessCollector: the one collector of a process, for programs that are linked with Jackdaw as they are.
//
// Its roots are the stacks and registers of all registered threads, static data and ranges added by hand,
// each word of them taken for an address (conservatively). Threads are stopped by a signal, wherever they
// are.
//
// Source: Boehm and Weiser, "Garbage Collection in an Uncooperative Environment", SP&E 1988.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "gc/collection.h"
#include "gc/marking.h"
#include "gc/process/collection_log.h"
#include "gc/process/process_options.h"
#include "gc/process/static_roots.h"
#include "gc/process/thread_registry.h"
#include "heap/heap.h"
#include "heap/system_memory.h"

namespace jackdaw::gc {

/// Used by any thread; one that is not registered is registered when it allocates or collects.
class ProcessCollector {
 public:
  /// The process's collector. The first call makes it, and registers the calling thread. Never destroyed.
  /// Throws std::bad_alloc.
  static ProcessCollector& instance();
  ProcessCollector(const ProcessCollector&) = delete;
  ProcessCollector& operator=(const ProcessCollector&) = delete;

  /// Cleared memory for an object of at least `bytes` bytes and at least one, or null when there is none even
  /// after a collection.
  void* allocate(std::size_t bytes, heap::KindNumber kind) {
    ProcessThread* const thread = ThreadRegistry::current();
    if (thread != nullptr && bytes <= heap::kLargestSmallBytes) [[likely]] {
      if (void* const object = thread->allocator().allocate_from_run(bytes, kind)) [[likely]]
        return object;
    }
    return allocate_slowly(bytes, kind);
  }

  /// Collects now. Waits for a collection under way, then does its own. Throws std::bad_alloc, with nothing
  /// changed.
  CollectionResult collect();
  /// Collections so far.
  // Relaxed: a number that publishes nothing.
  [[nodiscard]] std::uint64_t collections() const { return collections_.load(std::memory_order_relaxed); }

  /// While more disable() than enable() calls were made, no allocation collects.
  // Relaxed, both: a thread sees its own calls in order; another's allocation may come before or after.
  void disable() { disabled_.fetch_add(1, std::memory_order_relaxed); }
  void enable() { disabled_.fetch_sub(1, std::memory_order_relaxed); }

  /// Around a fork whose child uses the heap: right before it, and right after it in the parent (also when
  /// there is no child) and in the child. In between the caller must not touch the heap. With
  /// ProcessOptions::handles_fork the system's fork() calls them.
  void prepare_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

  heap::Heap& heap() { return heap_; }
  ThreadRegistry& threads() { return threads_; }
  StaticRoots& static_roots() { return static_roots_; }

 private:
  class ThreadsStopped;

  explicit ProcessCollector(const ProcessOptions& options);

  ProcessThread& this_thread();
  [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, heap::KindNumber kind);
  void* try_to_allocate(ProcessThread& thread, std::size_t bytes, heap::KindNumber kind);
  std::optional<void*> collect_and_allocate(ProcessThread& thread, std::size_t bytes, heap::KindNumber kind,
                                            std::uint64_t unless_after);
  CollectionResult collect_locked(CollectionReason reason);
  CollectionResult collect_stopped(std::uint32_t& stopped_threads);
  void write_log(CollectionReason reason, const CollectionResult& result, std::uint64_t used_bytes_before,
                 std::chrono::nanoseconds pause, std::uint32_t stopped_threads);
  void gather_roots(std::uintptr_t own_stack_pointer);
  void set_budget();

  const ProcessOptions options_;
  heap::Heap heap_;
  ThreadRegistry threads_;
  StaticRoots static_roots_;
  std::optional<CollectionLog> log_;
  std::unique_ptr<Marking> marking_;  // null in the child of a fork until it collects
  Collection collection_;
  std::mutex collecting_;  // held by the thread that collects; guards all below but the atomics
  heap::SystemVector<heap::Object*> roots_;
  std::uint64_t live_bytes_ = 0;
  std::atomic<std::uint64_t> collections_{0};
  std::atomic<std::uint32_t> disabled_{0};
};

}  // namespace jackdaw::gc
