// RootSet: finds the roots of a process's collection.
//
// Roots are the words of stacks, registers, thread_local variables, static data and added ranges, and the
// bytes of code made at run time, each taken for an address; and the objects that are kept by persistent
// handles, finalizers and destructors that wait, or that are uncollectable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/page_array.h"
#include "base/page_vector.h"
#include "gc/finalization/destructors.h"
#include "gc/finalization/finalization.h"
#include "gc/marking/collection.h"
#include "gc/process/roots/idle_stacks.h"
#include "gc/process/roots/persistent_nodes.h"
#include "gc/process/roots/static_roots.h"
#include "gc/process/threads/stack_state.h"
#include "gc/process/threads/thread_registry.h"
#include "gc/report/dump/dump_format.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// One for the process. With the collector's lock, while the program is stopped, unless a function says
/// otherwise.
class RootSet {
 public:
  /// Throws std::bad_alloc.
  RootSet(heap::Heap& heap, Collection& collection, ThreadRegistry& threads, const Finalization& finalization,
          const Destructors& destructors);
  RootSet(const RootSet&) = delete;
  RootSet& operator=(const RootSet&) = delete;

  /// Returns the data of loaded objects, and the ranges that the program added. It has a lock of its own.
  StaticRoots& static_data() { return static_data_; }
  /// Returns the references from outside the heap to objects of C++ types. They have a lock of their own.
  PersistentNodes& persistents() { return persistents_; }
  /// Returns the registered stacks that no thread runs on. They have the threads' lock.
  IdleStacks& idle_stacks() { return idle_stacks_; }

  /// The roots that the program names at each collection.
  struct Program {
    void (*more_roots)();  ///< calls scan() and scan_stack(); null: there are none
    /// Objects that are marked, but not visited. Callbacks add to them, `more_roots` among these.
    const base::PageVector<heap::Object*>& made_in_the_pause;
  };

  /// Marks from all roots, and from nothing else; of idle stacks, as IdleStacks::mark() says.
  void mark_from_all(const Program& program, const OwnStack& own_stack);
  /// Takes the memory for find_first(); false when there is none. May be called while the program runs.
  bool reserve_first();
  /// Returns the objects that roots refer to, to be marked later. Those that there is no room for,
  /// uncollectable objects, and idle stacks are left out.
  std::span<heap::Object* const> find_first(const Program& program, const OwnStack& own_stack);
  /// Returns the bytes of words that the last of these calls searched.
  [[nodiscard]] std::uint64_t searched_bytes() const { return searched_bytes_; }

  /// Adds words that may be addresses. For Program::more_roots.
  void scan(heap::Words words);
  /// Adds words of a stack, where all interior pointers count (Heap::set_all_addresses_keep).
  void scan_stack(heap::Words words);

  /// Passes all roots, and the places where they lie, to `reader`, which has HeapDump's functions for them,
  /// perhaps without write_return_addresses.
  template <typename Reader>
  void read(Reader& reader, void (*more_roots)(), const OwnStack& own_stack);

 private:
  // The number of roots that are marked together. A larger array would be a large part of a heap of
  // uncollectable objects, which are all roots.
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  // The number of first roots that are marked while the program runs.
  static constexpr std::size_t kMostFirst = std::size_t{1} << 20;

  void gather(const Program& program, const OwnStack& own_stack);
  void scan_readable(const OwnStack& own_stack);
  void scan_code();
  void scan_objects(std::span<heap::Object* const> objects);
  void mark_some();
  void add(heap::Object* object) {
    if (count_ == gathered_.size()) [[unlikely]] {
      if (gathered_.data() != roots_.data()) return;  // the last pause marks it
      mark_some();
    }
    gathered_[count_++] = object;
  }
  void define_gathered() const;

  // Where scan() passes words while roots are read.
  struct Redirection {
    void* reader = nullptr;  // null: scan() adds roots
    void (*add_words)(void* reader, heap::Words words, bool all_count) = nullptr;
  };

  heap::Heap& heap_;
  Collection& collection_;
  ThreadRegistry& threads_;
  const Finalization& finalization_;
  const Destructors& destructors_;
  StaticRoots static_data_;
  PersistentNodes persistents_;
  IdleStacks idle_stacks_;
  Redirection redirection_;
  // A root is kept without the block shape that a scan found: to look it up again takes about 40 of 213
  // instructions an object where all objects are roots, which is rare. To keep it would double the arrays.
  base::PageArray<heap::Object*> roots_{kMost};
  // Neither array grows: one that is unmapped may lie in a range that the program added as roots.
  base::PageArray<heap::Object*> first_roots_;                       // none before the first cycle
  std::span<heap::Object*> gathered_{roots_.data(), roots_.size()};  // roots_ or first_roots_
  std::size_t count_ = 0;
  std::uint64_t searched_bytes_ = 0;
};

// The roots come in the order of gather().
template <typename Reader>
void RootSet::read(Reader& reader, void (*more_roots)(), const OwnStack& own_stack) {
  redirection_ = {&reader, [](void* to, heap::Words words, bool all_count) {
                    static_cast<Reader*>(to)->add_words(words, all_count);
                  }};
  reader.begin_roots(DumpRoots::pushed);
  if (more_roots != nullptr) more_roots();
  reader.end_roots();
  redirection_ = {};
  reader.begin_roots(DumpRoots::static_data);
  static_data_.for_each([&](heap::Words words) { reader.add_words(words, false); });
  static_data_.for_each_in_code(
      [&](std::uintptr_t place, std::uintptr_t word) { reader.add_object(place, word); });
  reader.end_roots();
  threads_.for_each_root(own_stack.pointer, own_stack.state, static_data_.thread_local_modules(),
                         [&](ThreadRegistry::RootPlace place, heap::Words words) {
                           const bool is_stack = place.stack_end != 0;
                           reader.begin_roots(is_stack ? DumpRoots::stack : DumpRoots::thread_locals,
                                              place.thread, place.stack_end);
                           reader.add_words(words, true);
                           reader.end_roots();
                           if constexpr (requires { reader.write_return_addresses(place.thread, words); })
                             if (is_stack) reader.write_return_addresses(place.thread, words);
                         });
  idle_stacks_.for_each([&](const FiberStack& stack, heap::Words words) {
    reader.begin_roots(DumpRoots::stack, 0, stack.bounds.end);
    reader.add_words(words, true);
    reader.end_roots();
  });
  reader.begin_roots(DumpRoots::persistent);
  persistents_.for_each([&](const PersistentNodes::Node& node) {
    // Relaxed: see PersistentNodes::Node.
    reader.add_object(reinterpret_cast<std::uintptr_t>(node.maker),
                      node.word.load(std::memory_order_relaxed));
  });
  reader.end_roots();
  reader.begin_roots(DumpRoots::finalization);
  destructors_.for_each_waiting(
      [&](heap::Object* object) { reader.add_object(0, reinterpret_cast<std::uintptr_t>(object)); });
  finalization_.for_each_root([&](std::uintptr_t address) { reader.add_object(0, address); });
  reader.end_roots();
}

}  // namespace jackdaw::gc
