// Finalizers: the objects that have finalizers, and those that became unreachable and wait for them.
//
// A registered object is held weakly, its data strongly. When the marking is over, find_unreachable() moves
// the registrations of unmarked objects to a queue, in which object and data are roots until they are taken
// out and the function is called.
//
// Which objects: first everything is marked that a registered object refers to, in the way that its kind
// says; what is unmarked then is ready. So of objects that reach each other in a chain the first comes in
// this collection and the next in a later one, and of a cycle none ever does. (Boehm, "Destructors,
// Finalizers, and Synchronization", POPL 2003.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gc/finalization/weak_processing.h"
#include "gc/weak/address_table.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// The objects that hold a finalizer back.
enum class FinalizerKind : std::uint8_t {
  ordered,      ///< any finalizable object that reaches the object, itself included
  ignore_self,  ///< the same, but the object's own references to itself do not count
  no_order,     ///< nothing
  /// In java mode: any finalizable object that reaches the object, of whatever kind. Else as ordered.
  unreachable,
};

/// A function of the program, and what it is to be given besides the object.
struct Finalizer {
  void (*function)(void* object, void* data) = nullptr;  ///< null: there is no finalizer
  void* data = nullptr;
  FinalizerKind kind = FinalizerKind::ordered;
};

/// A finalizer that is to be called now, with its object.
struct ReadyFinalizer {
  heap::Object* object = nullptr;
  Finalizer finalizer;
};

/// Not locked: except for has_ready(), whoever calls holds the collector's allocation lock; find_unreachable
/// also has all other threads stopped. Its memory comes from the system, and is no root.
class Finalizers {
 public:
  /// Registers a finalizer, whose function is not null, for the object of the heap that starts at `object`;
  /// the one that it replaces is put in `old`, one with a null function if there was none. False when there
  /// is no memory, with nothing changed. Amortised O(1).
  [[nodiscard]] bool register_finalizer(const heap::Object* object, const Finalizer& finalizer,
                                        Finalizer& old);
  /// Takes an object's registration back and returns it; its function is null if there was none. O(1).
  Finalizer take_back(const heap::Object* object);
  /// Calls `function(Object*, const Finalizer&)` for each object that is registered, or, the second, ready.
  template <typename Function>
  void for_each_registered(Function function) const {
    registered_.for_each([&](std::uintptr_t address, const Finalizer& finalizer) {
      function(reinterpret_cast<heap::Object*>(address), finalizer);  // NOLINT(performance-no-int-to-ptr)
    });
  }
  template <typename Function>
  void for_each_ready(Function function) const {
    for (std::uint64_t i = taken_; i != added_; ++i) function(ready_at(i).object, ready_at(i).finalizer);
  }
  /// Objects registered, those that are ready not counted.
  [[nodiscard]] std::size_t registered() const { return registered_.size(); }

  /// Calls `function(std::uintptr_t)` for every word here that may be the address of something to keep: the
  /// data, and the objects that are ready.
  template <typename Function>
  void for_each_root(Function function) const {
    registered_.for_each(
        [&](std::uintptr_t, const Finalizer& finalizer) { function(address_of(finalizer.data)); });
    for (std::uint64_t i = taken_; i != added_; ++i) {
      function(address_of(ready_at(i).object));
      function(address_of(ready_at(i).finalizer.data));
    }
  }

  /// Between marking and sweeping: makes ready what nothing reaches, and marks that and all that it leads to.
  /// Afterwards every registered object is marked. With `java`, the objects of kind unreachable are chosen
  /// after all that the others lead to was marked.
  void find_unreachable(WeakProcessing& marking, bool java);

  /// Makes all registered objects ready, the reachable ones, too.
  void make_all_ready();

  /// Whether any object is ready. Any thread, without the lock.
  // Relaxed: a hint; the taker looks again under the lock.
  [[nodiscard]] bool has_ready() const { return ready_count_.load(std::memory_order_relaxed) != 0; }
  /// Takes the object out that has been ready longest. False when there is none.
  bool take_ready(ReadyFinalizer& ready);
  /// Calls `function(Object*)` for each object that has become ready since the last call and is still there.
  /// To be called when the threads run again: what the program does then is its own affair.
  template <typename Function>
  void announce_ready(Function function) {
    for (std::uint64_t i = announced_ < taken_ ? taken_ : announced_; i != added_; ++i)
      function(ready_at(i).object);
    announced_ = added_;
  }

 private:
  static constexpr std::size_t kFirstReadyLength = 64;

  static std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
  // The queue is a ring whose length is a power of two.
  [[nodiscard]] ReadyFinalizer& ready_at(std::uint64_t number) {
    return ready_[number & (ready_.size() - 1)];
  }
  [[nodiscard]] const ReadyFinalizer& ready_at(std::uint64_t number) const {
    return ready_[number & (ready_.size() - 1)];
  }
  [[nodiscard]] std::uint64_t ready_count() const { return added_ - taken_; }

  bool reserve_ready(std::size_t count);
  void count_ready();
  void add_ready(std::uintptr_t address, const Finalizer& finalizer);
  void mark_what_they_refer_to(WeakProcessing& marking) const;
  template <typename Predicate>
  void make_unmarked_ready(WeakProcessing& marking, Predicate is_chosen);

  AddressTable<Finalizer> registered_;
  // Always has room for all that are registered: threads may be stopped when they become ready.
  base::PageArray<ReadyFinalizer> ready_;
  // How many were ever added to the queue, announced and taken out.
  std::uint64_t added_ = 0;
  std::uint64_t announced_ = 0;
  std::uint64_t taken_ = 0;
  std::atomic<std::uint64_t> ready_count_{0};  // for those without the lock
};

}  // namespace jackdaw::gc
