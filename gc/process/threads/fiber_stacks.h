// FiberStacks: the stacks that the program registered, on which threads run fibers in turn.
//
// A thread runs on the registered stack that its stack pointer lies in: no other record of it is kept, as one
// would be wrong between two instructions of a switch. All other stacks are idle, and in use from the stack
// pointer on that the program saved when it left them.
//
// Stacks are kept in parts, sorted by address. So one is found, added and removed in O(log stacks + length of
// a part), and parts are shared out among mark threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/address_range.h"
#include "base/page_vector.h"
#include "gc/process/threads/readable_words.h"
#include "gc/process/threads/stoppable_mutex.h"

namespace jackdaw::gc {

/// A registered stack.
struct FiberStack {
  /// Values of `scanned_from` that are no addresses: the stack changed since it was scanned, if ever it was;
  /// and, while the program is stopped, a thread runs on it.
  static constexpr std::uintptr_t kNotScanned = 1;
  static constexpr std::uintptr_t kRuns = 2;

  base::AddressRange bounds;
  const std::uintptr_t* saved;                ///< the word in which the program saves the stack pointer
  std::uintptr_t scanned_from = kNotScanned;  ///< the start of the part that a concurrent cycle has scanned

  /// Returns the part in use while no thread runs on it: all of it where the saved pointer lies elsewhere.
  [[nodiscard]] base::AddressRange used() const {
    const std::uintptr_t pointer = read_saved();
    const bool is_in_bounds = bounds.begin <= pointer && pointer <= bounds.end;
    return is_in_bounds ? base::AddressRange{pointer, bounds.end} : bounds;
  }
  /// Calls `function(heap::Words)` with the readable words of `used`, which used() returned. The program says
  /// that all above a saved pointer can be read; elsewhere there may be guard pages.
  template <typename Function>
  static void for_each_words(const FiberStack& stack, base::AddressRange used, Function function) {
    if (used.begin == stack.bounds.begin) {
      for_each_readable_words(used, function);
    } else {
      function(heap::whole_words_between(used.begin, used.end));
    }
  }

 private:
  // A thread may write it meanwhile.
  [[nodiscard, gnu::no_sanitize_thread]] std::uintptr_t read_saved() const {
    return *static_cast<const volatile std::uintptr_t*>(saved);
  }
};

/// One for the process. With mutex() held, unless a function says otherwise.
class FiberStacks {
 public:
  /// The most stacks of a part.
  static constexpr std::size_t kMostOfAPart = 256;

  /// `mutex` is held while threads are stopped.
  explicit FiberStacks(StoppableMutex& mutex) : mutex_(mutex) {}
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  StoppableMutex& mutex() { return mutex_; }

  /// Returns a stack that shares an address with `range`, or null.
  [[nodiscard]] const FiberStack* overlapping(base::AddressRange range) const;
  /// Returns the stack that contains an address, or null.
  [[nodiscard]] FiberStack* find(std::uintptr_t address) const;
  /// Adds a stack that overlaps no other. False when there is no memory, with nothing changed.
  [[nodiscard]] bool add(const FiberStack& stack);
  /// Removes the stack that contains `address`.
  void remove(std::uintptr_t address);
  /// Changes the bounds of the stack that contains `address` to some that overlap no other stack's. False
  /// when there is no memory, with nothing changed.
  [[nodiscard]] bool change(std::uintptr_t address, base::AddressRange bounds);

  /// Returns the number of parts, none of which is empty, and one of them. Several threads may read parts,
  /// and change `scanned_from` of stacks in parts of their own.
  [[nodiscard]] std::uint32_t part_count() const { return static_cast<std::uint32_t>(parts_.size()); }
  [[nodiscard]] std::span<FiberStack> part(std::uint32_t number) const {
    return {parts_[number].stacks, parts_[number].count};
  }
  /// Returns the stacks that end above `address` in the first part that has any, sorted; none at the end.
  [[nodiscard]] std::span<FiberStack> from(std::uintptr_t address) const;

  /// Notes, while the program is stopped, that a thread runs on `stack`, unless there is no memory for it.
  void note_runs(FiberStack& stack);
  /// Forgets, at the next stop, on which stacks threads ran.
  void forget_running();

  /// Says that stacks which did not change since they were scanned are to be left out of the next scan.
  void note_tracked() { are_tracked_ = true; }
  /// Returns whether that was said, and takes it back.
  [[nodiscard]] bool take_tracked() {
    const bool were_tracked = are_tracked_;
    are_tracked_ = false;
    return were_tracked;
  }

 private:
  struct Part {
    FiberStack* stacks;
    std::size_t count;
  };
  struct Place {
    std::size_t part;
    std::size_t index;
  };

  // Returns the place of the first stack that ends above `address`, in the last part if there is none.
  [[nodiscard]] Place place_of(std::uintptr_t address) const;
  [[nodiscard]] bool split(Place place);

  StoppableMutex& mutex_;
  base::PageVector<Part> parts_;
  base::PageVector<std::uintptr_t> running_;  // addresses in the stacks that were noted
  bool are_tracked_ = false;
};

}  // namespace jackdaw::gc
