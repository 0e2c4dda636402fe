// HeapLimit: keeps the heap within the maximum that the program sets, and within the memory that there is.
//
// A process that finds no memory in its control group, or on its machine, is killed. Before that the heap
// collects, gives free blocks back and at last refuses memory. What is left is read from the kernel's files
// (machine::MemoryLimits): when the heap has grown by a part of what it may, and, near the limit, after each
// collection. A small heap reads nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "gc/process/heap_bounds.h"
#include "gc/process/process_options.h"
#include "heap/heap.h"
#include "machine/memory_limits.h"

namespace jackdaw::gc {

/// One for the process. With the collector's lock, in a critical section of a thread
/// (ThreadRegistry::CriticalSection), or before there are other threads. Needs no malloc once it is made.
class HeapLimit {
 public:
  /// A heap of this size, in bytes, may grow without anything being read.
  static constexpr std::uint64_t kSmallHeapBytes = std::uint64_t{16} << 20;

  /// Throws std::bad_alloc.
  HeapLimit(const ProcessOptions& options, heap::Heap& heap);
  HeapLimit(const HeapLimit&) = delete;
  HeapLimit& operator=(const HeapLimit&) = delete;

  /// Sets the most bytes that the program lets the heap have.
  void set_maximum(std::size_t bytes);
  /// Whether an object of `bytes` bytes would fit into the heap if that were empty and had all memory.
  [[nodiscard]] bool may_hold(std::size_t bytes) const { return bytes <= maximum_ && heap_.may_hold(bytes); }

  /// Whether look() is to be called before `bytes` bytes are refused: the heap may refuse them only for that.
  [[nodiscard]] bool is_due(std::size_t bytes) const;
  /// Reads what is left, for an allocation of `bytes` bytes.
  void look(std::size_t bytes);
  /// Returns the number of calls of look(). Any thread.
  // Relaxed, here and where it is written: what was learnt is known under the heap's lock.
  [[nodiscard]] std::uint64_t looks() const { return looks_.load(std::memory_order_relaxed); }
  /// Reads what is left after a collection, and gives back what the heap has beyond its limit.
  void look_after_collection();
  /// Lets an allocation of `bytes` bytes, for which a collection found no memory, have what can be had at
  /// last. Whether that is more than before.
  bool look_at_last(std::size_t bytes);

 private:
  HeapBounds read(machine::Left left, std::size_t bytes);
  [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.usage().used + heap_.usage().free; }

  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  heap::Heap& heap_;
  const bool starts_filtered_;  // whether system calls were filtered at the start
  std::optional<machine::MemoryLimits> memory_;
  std::uint64_t maximum_;
  std::uint64_t left_by_system_ = kUnlimited;  // as last read
  bool is_near_ = false;                       // as last read
  std::atomic<std::uint64_t> looks_{0};
};

}  // namespace jackdaw::gc
