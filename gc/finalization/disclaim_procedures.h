// DisclaimProcedures: the program's functions that may keep a dead object of a kind before its memory is
// reused.
//
// A collection keeps dead objects of such kinds and, if the program wants that, what they refer to. When the
// threads run again, the collecting thread calls the procedures and frees the objects that they give up.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "base/page_vector.h"
#include "gc/finalization/weak_processing.h"
#include "heap/heap.h"
#include "heap/kind.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One for the process. Except for set() and inherit(), the collecting thread uses it with the collector's
/// lock.
class DisclaimProcedures {
 public:
  /// Returns nonzero if a dead object shall live on until the next collection. Called with the collector's
  /// lock.
  using Procedure = int (*)(void* object);

  /// Sets the procedure of a kind. `keeps_referents`: what a dead object of the kind refers to lives until
  /// the object is given up. Any thread.
  void set(heap::KindNumber kind, Procedure procedure, bool keeps_referents);
  /// Gives a kind the procedure of another. Any thread.
  void inherit(heap::KindNumber kind, heap::KindNumber from);

  /// Marks what dead objects keep, when everything reachable from roots is marked. Where there are
  /// procedures, no free slot counts as an object from here on.
  void mark_referents(heap::Heap& heap, WeakProcessing& marking) const;
  /// Notes the dead objects and marks them, so that the sweep keeps them. After the last marking, and after
  /// mark_referents().
  void hold_dead(heap::Heap& heap);
  /// Whether any objects are held.
  [[nodiscard]] bool holds_any() const { return held_.size() != 0; }
  /// Clears the marks of held objects after the sweep, so that the program may ask for marks and set them
  /// again.
  void unmark_held() const;
  /// Calls the procedure of each held object, and `free(Object*)` for those that it gives up, when the
  /// threads run again.
  template <typename Free>
  void ask(Free free) {
    for (heap::Object* const object : held_.span()) {
      if (gives_up(object)) free(object);
    }
    held_.clear();
  }

 private:
  [[nodiscard]] bool gives_up(heap::Object* object) const;

  struct OfKind {
    std::atomic<Procedure> procedure{nullptr};
    std::atomic<bool> keeps_referents{false};
  };

  [[nodiscard]] const OfKind& of(heap::KindNumber kind) const {
    return of_kinds_[static_cast<std::size_t>(kind)];
  }
  template <typename Function>
  void for_each_kind(const heap::Heap& heap, Function function) const;

  std::array<OfKind, heap::KindTable::kMaximumKinds> of_kinds_;
  std::atomic<bool> has_any_{false};
  base::PageVector<heap::Object*> held_;
};

}  // namespace jackdaw::gc
