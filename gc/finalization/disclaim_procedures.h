// DisclaimProcedures: functions of the program that are asked, kind by kind of object, before the memory of a
// dead object is used again.
//
// A collection keeps dead objects of such kinds, with what they refer to if the program wants that. When the
// threads run again the one that collected asks the procedures, and frees the objects that they give up.
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

/// One for the process. But for set() and inherit(), used by the thread that collects, with the collector's
/// lock.
class DisclaimProcedures {
 public:
  /// Whether a dead object is to live on until the next collection. Called with the collector's lock.
  using Procedure = int (*)(void* object);

  /// The procedure of a kind's objects from now on. `keeps_referents`: what a dead object of the kind refers
  /// to lives on until the object was given up. Any thread.
  void set(heap::KindNumber kind, Procedure procedure, bool keeps_referents);
  /// A kind gets what another one has. Any thread.
  void inherit(heap::KindNumber kind, heap::KindNumber from);

  /// When what the roots lead to is marked: marks what dead objects keep.
  void mark_referents(heap::Heap& heap, WeakProcessing& marking) const;
  /// When nothing more will be marked: notes the dead objects, and marks them so that sweep() leaves them.
  void hold_dead(heap::Heap& heap);
  /// Whether any are held.
  [[nodiscard]] bool holds_any() const { return held_.size() != 0; }
  /// When the heap was swept: takes the marks back. The program may mark objects again, and ask.
  void unmark_held() const;
  /// When the threads run again: asks of each of them, and calls `free(Object*)` for those that are given up.
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
