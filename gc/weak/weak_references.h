// WeakReferences: the weak members and ephemerons in objects of C++ types.
#pragma once

#include "base/export.h"
#include "gc/weak/ephemerons.h"
#include "gc/weak/noted_slots.h"
#include "heap/block_map.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// A heap has one. Mark threads note references; all else is for the collecting thread, while no thread
/// marks.
class WeakReferences {
 public:
  /// Throws std::bad_alloc.
  explicit WeakReferences(const heap::BlockMap& map) : map_(map), ephemerons_(map) {}
  WeakReferences(const WeakReferences&) = delete;
  WeakReferences& operator=(const WeakReferences&) = delete;

  /// Notes a pointer in a visited object to an unmarked object, which becomes null if that stays unmarked.
  /// False when there is no memory. For mark threads.
  [[nodiscard]] JACKDAW_EXPORT bool note_member(const void* slot);
  /// See Ephemerons::note.
  [[nodiscard]] JACKDAW_EXPORT bool note_ephemeron(const EphemeronSlots& ephemeron);

  Ephemerons& ephemerons() { return ephemerons_; }

  /// Clears all references to unmarked objects, after the last marking.
  void clear_dead();
  /// Forgets what was noted by a marking that was given up, and reads none of it.
  void forget() {
    members_.forget();
    ephemerons_.forget_noted();
  }

 private:
  const heap::BlockMap& map_;
  NotedSlots members_{NotedSlots::Kind::weak_members};
  Ephemerons ephemerons_;
};

}  // namespace jackdaw::gc
