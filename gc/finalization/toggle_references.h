// ToggleReferences: a list of objects, each held strongly or weakly, as the program decides anew before every
// collection.
//
// It is for runtimes whose objects are paired with another runtime's: an object must live while its partner
// is in use there, which only the program knows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/page_vector.h"
#include "gc/finalization/weak_processing.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// How an object is held from now on.
enum class Hold : std::uint8_t { dropped, strongly, weakly };

/// The caller holds the collector's lock; for remove_dead() all other threads are stopped, too. The list's
/// memory comes from the system, and is no root.
class ToggleReferences {
 public:
  /// Adds the object that starts at `object`; one that is on the list already is added again. False when
  /// there is no memory.
  [[nodiscard]] bool add(heap::Object* object, bool is_strong) {
    return references_.append({object, is_strong});
  }
  [[nodiscard]] std::size_t size() const { return references_.size(); }

  /// Sets each object to the Hold that `hold_of(Object*)` returns, before the threads are stopped. `hold_of`
  /// must not add objects.
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
  /// Removes objects that the program has freed.
  void forget_freed(const WeakProcessing& marking);
  /// Removes unmarked objects after the marking.
  void remove_dead();

 private:
  struct Reference {
    heap::Object* object;
    bool is_strong;
  };

  base::PageVector<Reference> references_;
};

}  // namespace jackdaw::gc
