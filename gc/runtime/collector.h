// Collector: a heap with its roots and collections, for runtimes with precise roots.
//
// A collection stops the program's threads (mutators) at safepoints, marks from the roots in parallel and
// sweeps. Threads that use the heap register by making a Mutator. Roots are slots registered here, and the
// Handles of all mutators.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/export.h"
#include "gc/marking/collection.h"
#include "gc/marking/mark_engine.h"
#include "gc/marking/memory_placement.h"
#include "gc/runtime/recent_use.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::gc {

class Mutator;

/// The options of a collector.
struct CollectorOptions {
  MarkingOptions marking;
  /// Where the heap's memory lies.
  MemoryPlacement memory;
  /// The heap's size is limited to this.
  std::size_t heap_limit_bytes = std::numeric_limits<std::size_t>::max();
  /// Whether allocation collects. Otherwise only collect() does, and allocation fails only at the limit.
  bool automatic = true;
  /// The least number of bytes to allocate between collections.
  std::size_t minimum_budget_bytes = std::size_t{8} << 20;
  /// The budget between collections, as a multiple of what the last one found live: 0 to 1000.
  double growth = 1.0;
};

class Collector {
 public:
  /// Starts the mark threads. Throws std::invalid_argument for options that make no sense.
  JACKDAW_EXPORT explicit Collector(const CollectorOptions& options = {});
  /// Frees all objects. All mutators must be gone.
  JACKDAW_EXPORT ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// Registers slots: the objects they refer to are live. Every collection reads them until remove_roots() is
  /// called with the same span. A slot may be registered more than once. Any thread.
  JACKDAW_EXPORT void add_roots(std::span<heap::Object* const> slots);
  /// Undoes one add_roots(). O(spans).
  JACKDAW_EXPORT void remove_roots(std::span<heap::Object* const> slots);

  /// Collects now, after all mutators have reached a safepoint and a collection of another thread, if any, is
  /// over. A thread with a running mutator calls Mutator::collect instead. Throws std::bad_alloc, with
  /// nothing changed, when there is no memory to gather the roots.
  JACKDAW_EXPORT CollectionResult collect();

  /// Replaces the engine by `engine`, which is not null, and returns the former one. Waits for a collection
  /// under way. No thread may call mark_threads() or marking_memory_bytes() meanwhile.
  JACKDAW_EXPORT std::unique_ptr<MarkEngine> exchange_marking(std::unique_ptr<MarkEngine> engine);

  /// The heap, to be read between collections.
  heap::Heap& heap() { return heap_; }
  /// Returns the number of collections so far. Any thread.
  [[nodiscard]] JACKDAW_EXPORT std::uint64_t collections() const;
  /// Returns the number of mark threads, the collecting one included.
  [[nodiscard]] std::uint32_t mark_threads() const { return engine_->marker().worker_count(); }
  /// Returns how often a mark thread has stolen from each other one since the engine was made. Not during a
  /// collection.
  [[nodiscard]] std::span<const std::uint32_t> steals_by_victim(std::uint32_t worker) const {
    return engine_->marker().steals_by_victim(worker);
  }
  /// Returns the bytes of mark bits, block tables, queues and, at their peak in the last collection, overflow
  /// lists. While no thread allocates.
  [[nodiscard]] std::uint64_t marking_memory_bytes() const {
    return engine_->marker().memory_bytes() + heap_.header_bytes();
  }

 private:
  friend class Mutator;
  class WorldStopped;

  // Relaxed, here and where it is written: it is written under the lock, which a thread that stops takes.
  // Without the lock it is a hint.
  [[nodiscard]] bool is_stop_requested() const { return stop_requested_.load(std::memory_order_relaxed); }
  void register_mutator(Mutator* mutator);
  void unregister_mutator(Mutator* mutator);
  // Waits while another thread stops the world. For a mutator.
  JACKDAW_EXPORT void wait_at_safepoint();
  // Collects, unless a collection came after number `unless_after`; then does nothing. Returns what `attempt`
  // allocates before another thread can, without a budget: null means that there is no memory.
  template <typename Attempt>
  std::optional<heap::Object*> collect_and_allocate(std::uint64_t unless_after, Attempt attempt) {
    std::unique_lock lock(mutex_);
    wait_while_stopped(lock);
    if (collections_ > unless_after) return std::nullopt;
    if (options_.automatic && !collect_if_memory_allows(lock)) return nullptr;
    heap_.budget().set(std::numeric_limits<std::uint64_t>::max());
    heap::Object* const object = attempt();
    // Allocation beyond the budget triggers no collection.
    if (options_.automatic) {
      const std::uint64_t allocated = heap_.allocated_bytes();
      heap_.budget().set(allocated < budget_ ? budget_ : allocated + options_.minimum_budget_bytes);
    }
    return object;
  }
  bool collect_if_memory_allows(std::unique_lock<std::mutex>& lock);
  void wait_while_stopped(std::unique_lock<std::mutex>& lock);
  JACKDAW_EXPORT void leave_running();
  JACKDAW_EXPORT void enter_running();
  CollectionResult collect_as_mutator();

  CollectionResult collect_stopped(std::unique_lock<std::mutex>& lock, std::uint32_t running_of_caller);
  void set_budget(std::uint64_t bytes);
  void gather_roots();

  const CollectorOptions options_;
  heap::Heap heap_;
  Collection collection_;
  std::unique_ptr<MarkEngine> engine_;

  mutable std::mutex mutex_;  // guards all members below; held throughout a collection
  std::condition_variable world_changed_;
  std::atomic<bool> stop_requested_{false};
  std::uint32_t running_mutators_ = 0;
  std::vector<Mutator*> mutators_;
  std::vector<std::span<heap::Object* const>> root_spans_;
  std::vector<heap::Object*> roots_;  // gathered for the present collection
  RecentUse recent_use_;              // memory that was in use lately keeps its chunks
  std::uint64_t collections_ = 0;
  std::uint64_t budget_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace jackdaw::gc
