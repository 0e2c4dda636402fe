// TrackedStacks: scans idle stacks while the program runs, and finds those that change meanwhile.
//
// A stack changes when a thread runs on it, and when any thread writes through an address into it, as a
// channel does that hands a value to a waiting fiber. Both show as dirty pages. So pages are armed, then the
// saved pointer is read, then the stack is scanned from there. In the last pause a stack whose saved pointer
// is still the same, and no page of which is dirty, holds what was scanned.
//
// Stacks with little memory between them are armed and looked at together: that memory is armed, too, and
// costs the program a fault at its next write. Stacks in the heap, whose pages its own passes claim, are left
// to the last pause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/address_range.h"
#include "gc/process/concurrent/write_tracking.h"
#include "gc/process/threads/fiber_stacks.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// The stacks' mutex is taken where a function does not say that it is held.
class TrackedStacks {
 public:
  /// `heap` is the range of all addresses that objects can ever have.
  TrackedStacks(FiberStacks& fibers, WriteTracking& tracking, std::span<const std::byte> heap)
      : fibers_(fibers),
        tracking_(tracking),
        heap_{reinterpret_cast<std::uintptr_t>(heap.data()),
              reinterpret_cast<std::uintptr_t>(heap.data() + heap.size())} {}

  /// Selects the stacks that are scanned.
  enum class Which : std::uint8_t { all, changed };

  /// Arms the pages of some stacks that end above `next`, calls `function(heap::Words)` with what is in use
  /// of them, and sets `next` for the next call. Where `function` returns false, the last pause scans the
  /// stack. Adds the bytes to `bytes`. Returns false when there are no such stacks.
  template <typename Function>
  bool scan_some(Which which, std::uintptr_t& next, std::uint64_t& bytes, Function function) {
    const std::lock_guard lock(fibers_.mutex());
    const std::span<FiberStack> stacks = some_of(fibers_.from(next), which);
    if (stacks.empty()) return false;
    if (tracking_.arms_while_running()) arm(stacks);
    std::uint64_t scanned = 0;
    for (FiberStack& stack : stacks) {
      next = stack.bounds.end;
      if (is_in_heap(stack)) continue;
      const base::AddressRange used = stack.used();
      if (which == Which::changed && stack.scanned_from == used.begin) continue;
      stack.scanned_from = used.begin;
      FiberStack::for_each_words(stack, used, [&](heap::Words words) {
        if (!function(words)) stack.scanned_from = FiberStack::kNotScanned;
      });
      scanned += used.end - used.begin;
      if (scanned >= kBytesAtOnce) break;
    }
    bytes += scanned;
    return true;
  }

  /// Returns the number of parts for note_dirty().
  [[nodiscard]] std::uint32_t part_count() const { return fibers_.part_count(); }
  /// Notes which stacks of a part have changed. Several threads may call it in the last pause, with the mutex
  /// held.
  void note_dirty(std::uint32_t part) const;
  /// Makes all pages dirty, so that writes cost nothing until they are armed again.
  void disarm();

 private:
  // The mutex is held about as long as it takes to scan this.
  static constexpr std::uint64_t kBytesAtOnce = std::uint64_t{128} << 10;
  static constexpr std::uintptr_t kMostBetween = std::uintptr_t{64} << 10;

  [[nodiscard]] bool is_in_heap(const FiberStack& stack) const { return heap_.contains(stack.bounds.begin); }
  // Returns the first of the stacks that one call of scan_some() takes.
  static std::span<FiberStack> some_of(std::span<FiberStack> stacks, Which which);
  void arm(std::span<FiberStack> stacks);
  void note_all_changed(base::AddressRange pages) const;

  // Calls `function(AddressRange, std::span<FiberStack>)` for each range with its stacks.
  template <typename Function>
  void for_each_range(std::span<FiberStack> stacks, Function function) const {
    while (!stacks.empty()) {
      base::AddressRange range = stacks.front().bounds;
      std::size_t count = 1;
      if (!is_in_heap(stacks.front())) {
        while (count < stacks.size() && !is_in_heap(stacks[count]) &&
               stacks[count].bounds.begin - range.end <= kMostBetween)
          range.end = stacks[count++].bounds.end;
        function(range, stacks.first(count));
      }
      stacks = stacks.subspan(count);
    }
  }
  static void note_changed(std::span<FiberStack> stacks, base::AddressRange pages);

  FiberStacks& fibers_;
  WriteTracking& tracking_;
  const base::AddressRange heap_;
};

}  // namespace jackdaw::gc
