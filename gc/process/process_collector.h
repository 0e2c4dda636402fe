// ProcessCollector: the one collector of a process, for programs that are linked with Jackdaw as they are.
//
// Its roots are the stacks and registers of all registered threads, static data and ranges added by hand,
// each word of them taken for an address (conservatively). Threads are stopped by a signal, wherever they
// are.
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
#include "gc/process/static_roots.h"
#include "gc/process/thread_registry.h"
#include "heap/heap.h"
#include "heap/system_memory.h"

namespace jackdaw::gc {

/// How the process's collector is set up.
struct ProcessOptions {
  MarkingOptions marking;
  /// All chunks together never take more.
  std::size_t heap_limit_bytes = std::numeric_limits<std::size_t>::max();
  /// Allocate at least so much between collections.
  std::size_t minimum_budget_bytes = std::size_t{4} << 20;
  /// Between collections, allocate so many times what the last one found live.
  double growth = 0.75;
};

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
  CollectionResult collect_locked();
  CollectionResult collect_stopped();
  void gather_roots(std::uintptr_t own_stack_pointer);
  void set_budget();

  const ProcessOptions options_;
  heap::Heap heap_;
  ThreadRegistry threads_;
  StaticRoots static_roots_;
  std::unique_ptr<Marking> marking_;
  Collection collection_;
  std::mutex collecting_;  // held by the thread that collects; guards all below but the atomics
  heap::SystemVector<heap::Object*> roots_;
  std::uint64_t live_bytes_ = 0;
  std::atomic<std::uint64_t> collections_{0};
  std::atomic<std::uint32_t> disabled_{0};
};

}  // namespace jackdaw::gc
