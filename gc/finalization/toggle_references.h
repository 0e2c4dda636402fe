// ToggleReferences: a list of objects, each held strongly or weakly, as the program says anew before every
// collection.
//
// For runtimes whose objects are halves of pairs with another runtime's: such a half must live while the
// other one is in use there, which only that runtime knows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/page_vector.h"
#include "gc/finalization/weak_processing.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// How an object is to be held from now on.
enum class Hold : std::uint8_t { dropped, strongly, weakly };

/// Not locked: whoever calls holds the collector's allocation lock; remove_dead needs all other threads
/// stopped, too. Its memory comes from the system, and is no root.
class ToggleReferences {
 public:
  /// Adds the object of the heap that starts at `object`, for once more if it is on the list already. False
  /// when there is no memory.
  [[nodiscard]] bool add(heap::Object* object, bool is_strong) {
    return references_.append({object, is_strong});
  }
  [[nodiscard]] std::size_t size() const { return references_.size(); }

  /// Before the threads are stopped: sets each object to what `hold_of(Object*)`, a Hold, says. It must not
  /// add objects.
  template <typename HoldOf>
  void update(HoldOf hold_of) {
    references_.remove_if([&](Reference& reference) {
      const Hold hold = hold_of(reference.object);
      reference.is_strong = hold == Hold::strongly;
      return hold == Hold::dropped;
    });
  }
  /// Calls `function(std::uintptr_t)` for the address of every object that is held strongly.
  template <typename Function>
  void for_each_root(Function function) const {
    for (const Reference& reference : references_.span()) {
      if (reference.is_strong) function(reinterpret_cast<std::uintptr_t>(reference.object));
    }
  }
  /// When the marking is over: takes unmarked objects off the list.
  void remove_dead();

 private:
  struct Reference {
    heap::Object* object;
    bool is_strong;
  };

  base::PageVector<Reference> references_;
};

}  // namespace jackdaw::gc
