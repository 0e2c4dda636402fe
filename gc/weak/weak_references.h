// WeakReferences: the references in objects of C++ types that keep nothing, or keep something as long as
// something else is kept.
#pragma once

#include "base/export.h"
#include "gc/weak/ephemerons.h"
#include "gc/weak/noted_slots.h"
#include "heap/block_map.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One for a heap. Mark threads note; all else is the collecting thread's, while no thread marks.
class WeakReferences {
 public:
  /// Throws std::bad_alloc.
  explicit WeakReferences(const heap::BlockMap& map) : map_(map), ephemerons_(map) {}
  WeakReferences(const WeakReferences&) = delete;
  WeakReferences& operator=(const WeakReferences&) = delete;

  /// Notes a pointer in an object that is visited, to an object that is not marked, to be made null if that
  /// stays so. False when there is no memory. Mark threads.
  [[nodiscard]] JACKDAW_EXPORT bool note_member(const void* slot);
  /// See Ephemerons::note.
  [[nodiscard]] JACKDAW_EXPORT bool note_ephemeron(const EphemeronSlots& ephemeron);

  Ephemerons& ephemerons() { return ephemerons_; }

  /// When nothing more will be marked: makes all references to unmarked objects null.
  void clear_dead();

 private:
  const heap::BlockMap& map_;
  NotedSlots members_{NotedSlots::Kind::weak_members};
  Ephemerons ephemerons_;
};

}  // namespace jackdaw::gc
