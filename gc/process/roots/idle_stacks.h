// IdleStacks: marks from the registered stacks that no thread runs on, with all mark threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/page_vector.h"
#include "gc/marking/collection.h"
#include "gc/marking/mark_task.h"
#include "gc/process/threads/fiber_stacks.h"
#include "heap/heap.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// One for the process. While the program is stopped, and it is noted on which stacks threads run.
class IdleStacks {
 public:
  IdleStacks(heap::Heap& heap, Collection& collection, FiberStacks& fibers)
      : heap_(heap), collection_(collection), fibers_(fibers) {}

  /// Makes room for what mark() finds, before the first stack is registered. False when there is no memory.
  [[nodiscard]] bool reserve();
  /// Marks from all of them, or, where a cycle has tracked them (FiberStacks::note_tracked), from those that
  /// changed since it scanned them. Returns the bytes in use of all of them.
  std::uint64_t mark();

  /// Calls `function(const FiberStack&, heap::Words)` with the readable words in use of each.
  template <typename Function>
  void for_each(Function function) const {
    for (std::uint32_t part = 0; part < fibers_.part_count(); ++part) {
      for (const FiberStack& stack : fibers_.part(part)) {
        if (stack.scanned_from == FiberStack::kRuns) continue;
        FiberStack::for_each_words(stack, stack.used(), [&](heap::Words words) { function(stack, words); });
      }
    }
  }

 private:
  class Finder;

  [[nodiscard]] bool has_enough();
  void mark_part(std::uint32_t part, bool only_changed);

  heap::Heap& heap_;
  Collection& collection_;
  FiberStacks& fibers_;
  std::atomic<std::uint64_t> bytes_{0};
  StoppableMutex gathering_;  // guards found_
  base::PageVector<MarkTask> found_;
};

}  // namespace jackdaw::gc
