// Finalizers: the objects that have finalizers, and those that became unreachable and wait for them.
//
// A registered object is held weakly, its data strongly. After marking, find_unreachable() moves the
// registrations of unmarked objects to a queue, whose objects and data are roots until the finalizer is
// called.
//
// First everything is marked that registered objects refer to, as their FinalizerKind says; registered
// objects that are still unmarked are ready. So the first object of a chain is finalized in this collection
// and the next in a later one, and none of a cycle ever is. (Boehm, "Destructors, Finalizers, and
// Synchronization", POPL 2003.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gc/finalization/weak_processing.h"
#include "gc/weak/address_table.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// The objects that hold back an object's finalizer.
enum class FinalizerKind : std::uint8_t {
  ordered,      ///< any finalizable object that reaches the object, itself included
  ignore_self,  ///< as ordered, but the object's own references to itself do not count
  no_order,     ///< nothing
  /// In java mode: any finalizable object that reaches the object, of any kind. Otherwise as ordered.
  unreachable,
};

/// A function of the program, and the data that it gets besides the object.
struct Finalizer {
  void (*function)(void* object, void* data) = nullptr;  ///< null: there is no finalizer
  void* data = nullptr;
  FinalizerKind kind = FinalizerKind::ordered;
};

/// A finalizer that is ready to be called, with its object.
struct ReadyFinalizer {
  heap::Object* object = nullptr;
  Finalizer finalizer;
};

/// The caller holds the collector's lock, except for has_ready(); for find_unreachable() all other threads
/// are stopped, too. The table's memory comes from the system, and is no root.
class Finalizers {
 public:
  /// Registers a finalizer, whose function is not null, for the object that starts at `object`. `old` gets
  /// the finalizer that it replaces, with a null function if there was none. False when there is no memory,
  /// with nothing changed. Amortised O(1).
  [[nodiscard]] bool register_finalizer(const heap::Object* object, const Finalizer& finalizer,
                                        Finalizer& old);
  /// Removes and returns an object's finalizer; its function is null if there was none. O(1).
  Finalizer take_back(const heap::Object* object);
  /// These call `function(Object*, const Finalizer&)` for each object that is registered, and for each that
  /// is ready.
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
  /// Returns the number of registered objects without the ready ones.
  [[nodiscard]] std::size_t registered() const { return registered_.size(); }

  /// Calls `function(std::uintptr_t)` for every word that may be the address of something to keep: data, and
  /// ready objects.
  template <typename Function>
  void for_each_root(Function function) const {
    registered_.for_each(
        [&](std::uintptr_t, const Finalizer& finalizer) { function(address_of(finalizer.data)); });
    for (std::uint64_t i = taken_; i != added_; ++i) {
      function(address_of(ready_at(i).object));
      function(address_of(ready_at(i).finalizer.data));
    }
  }

  /// Forgets the finalizers of objects that the program has freed: `is_object(const Object*)` is false for
  /// them. O(table).
  template <typename IsObject>
  void forget_freed(IsObject is_object) {
    registered_.erase_if([&](std::uintptr_t address, const Finalizer&) {
      return !is_object(reinterpret_cast<const heap::Object*>(address));  // NOLINT(performance-no-int-to-ptr)
    });
  }
  /// Makes unreachable objects ready, between marking and sweeping, and marks them with all that they refer
  /// to. Afterwards every registered object is marked. With `java`, objects of kind unreachable are chosen
  /// after all that the others refer to was marked.
  void find_unreachable(WeakProcessing& marking, bool java);

  /// Makes all registered objects ready, reachable ones included.
  void make_all_ready();
  /// Forgets all objects, registered and ready, and gives the memory for them back.
  void forget_all();

  /// Whether any object is ready. Any thread, without the lock.
  // Relaxed: a hint; the taker looks again under the lock.
  [[nodiscard]] bool has_ready() const { return ready_count_.load(std::memory_order_relaxed) != 0; }
  /// Takes out the object that has been ready longest. False when there is none.
  bool take_ready(ReadyFinalizer& ready);
  /// Calls `function(Object*)` for each object that became ready since the last call and is still in the
  /// queue. To be called when the threads run again, since the program may do anything then.
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
  // There is always room for all registered objects, since they become ready while threads are stopped.
  base::PageArray<ReadyFinalizer> ready_;
  // The counts of all entries ever added to the queue, announced, and taken out.
  std::uint64_t added_ = 0;
  std::uint64_t announced_ = 0;
  std::uint64_t taken_ = 0;
  std::atomic<std::uint64_t> ready_count_{0};  // read without the lock
};

}  // namespace jackdaw::gc
