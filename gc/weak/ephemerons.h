// Ephemerons: pairs of a key and a value that lie in live objects. The value is kept as long as the key is
// reachable by other ways; when it is not, both become null.
//
// Each is looked at twice at most. Mark threads note an ephemeron whose key is not marked yet. When they are
// done, it is looked at again: either its key has been marked since, and its value is marked next, or it
// waits in a table, by its key. Visits to the block in which a waiting key lies are intercepted
// (heap::Chunk::intercept_visits): when the key is marked and visited after all, its values are visited with
// it. So the work is linear, whatever the order in which keys and ephemerons are found. (Hayes, "Ephemerons:
// a New Finalization Mechanism", OOPSLA 1997.)
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

/// One for a heap. Mark threads note and look up; all else is the collecting thread's, while nobody marks. It
/// asks malloc for nothing.
class Ephemerons {
 public:
  /// Throws std::bad_alloc.
  explicit Ephemerons(const heap::BlockMap& map);

  /// Notes an ephemeron with a key that is not marked. False when there is no memory. Mark threads.
  [[nodiscard]] bool note(const EphemeronSlots& ephemeron) {
    return noted_.note(const_cast<EphemeronSlots*>(&ephemeron));  // the collector changes what dies
  }
  /// Calls `function(Object*)` for the values that wait for a key. Mark threads.
  template <typename Function>
  void for_each_value_of(const heap::Object* key, Function function) const {
    waiting_.for_each_value_of(key, function);
  }

  /// When a marking is over: calls `mark(std::span<heap::Object* const>)`, which marks objects and all that
  /// they lead to, until every value is marked whose key is.
  template <typename Mark>
  void mark_values(Mark mark) {
    do {
      while (const void* const noted = noted_.take()) {
        if (roots_.size() + kRootsOfOne > kMaximumRoots) mark_roots(mark);
        examine(*static_cast<const EphemeronSlots*>(noted));
      }
    } while (mark_roots(mark));
  }
  /// When nothing more will be marked: makes those null whose keys are not marked, and forgets all.
  void clear_dead();

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
  base::PageVector<heap::Object*> roots_;  // never more than was reserved
};

}  // namespace jackdaw::gc
