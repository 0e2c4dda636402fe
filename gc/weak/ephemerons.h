// Ephemerons: pairs of a key and a value in live objects. The value is kept as long as the key is reachable
// in another way; when it is not, both references become null.
//
// Each ephemeron is examined at most twice. Mark threads note one whose key is not marked yet. After the
// marking it is examined again: either its key was marked since, and its value is marked next, or it waits in
// a table, by its key. Visits to a waiting key's block are intercepted (heap::Chunk::intercept_visits), so
// that its values are visited with the key if that is marked later. So the work is linear, whatever the order
// in which keys and ephemerons are found. (Hayes, "Ephemerons: a New Finalization Mechanism", OOPSLA 1997.)
#pragma once

#include <cstddef>

#include "base/page_vector.h"
#include "gc/weak/ephemeron_table.h"
#include "gc/weak/noted_slots.h"
#include "heap/block_map.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// Lies in an object. Both may point anywhere into objects of the heap, or be null.
struct EphemeronSlots {
  void* key = nullptr;
  void* value = nullptr;
};

/// A heap has one. Mark threads note ephemerons and look up keys; all else is for the collecting thread,
/// while no thread marks. Nothing here calls malloc.
class Ephemerons {
 public:
  /// Throws std::bad_alloc.
  explicit Ephemerons(const heap::BlockMap& map);

  /// Notes an ephemeron whose key is not marked. False when there is no memory. For mark threads.
  [[nodiscard]] bool note(const EphemeronSlots& ephemeron) {
    return noted_.note(const_cast<EphemeronSlots*>(&ephemeron));  // the collector clears dead ones
  }
  /// Calls `function(Object*)` for the values that wait for a key. For mark threads.
  template <typename Function>
  void for_each_value_of(const heap::Object* key, Function function) const {
    waiting_.for_each_value_of(key, function);
  }

  /// Marks the values of marked keys after a marking, until none is left, by `mark(std::span<heap::Object*
  /// const>)`, which marks objects and all that they refer to.
  template <typename Mark>
  void mark_values(Mark mark) {
    do {
      while (const void* const noted = noted_.take()) {
        if (roots_.size() + kRootsOfOne > kMaximumRoots) mark_roots(mark);
        examine(*static_cast<const EphemeronSlots*>(noted));
      }
    } while (mark_roots(mark));
  }
  /// Clears the ephemerons whose keys are not marked, after the last marking, and forgets all.
  void clear_dead();
  /// Forgets the ephemerons that were noted since, without an access to them.
  void forget_noted() { noted_.forget(); }

 private:
  static constexpr std::size_t kMaximumRoots = 4096;
  static constexpr std::size_t kRootsOfOne = 2;

  template <typename Mark>
  bool mark_roots(Mark mark) {
    if (roots_.empty()) return false;
    mark(roots_.span());
    roots_.clear();
    return true;
  }
  void examine(const EphemeronSlots& ephemeron);
  bool let_wait(const EphemeronSlots& ephemeron, const heap::Object* key, heap::Object* value);
  [[nodiscard]] heap::Object* object_of(const void* address) const;

  const heap::BlockMap& map_;
  NotedSlots noted_{NotedSlots::Kind::ephemerons};
  EphemeronTable waiting_;
  base::PageVector<EphemeronSlots*> all_waiting_;
  base::PageVector<heap::Object*> roots_;  // never longer than was reserved
};

}  // namespace jackdaw::gc
