// StopTheWorld: a collection of a process that stops the whole program, and the last pause of a concurrent
// cycle.
//
// One pause finds the roots, marks, processes weak references and finalizers, and sweeps. After the last
// pause of a cycle the program runs while the heap is swept.
//
// Source: Boehm and Weiser, "Garbage Collection in an Uncooperative Environment", SP&E 1988.
#pragma once

#include <cstdint>
#include <optional>

#include "gc/marking/collection.h"
#include "gc/marking/mark_engine.h"
#include "gc/process/collector_parts.h"
#include "gc/process/roots/root_set.h"
#include "gc/process/threads/stack_state.h"
#include "gc/report/collection_log.h"
#include "gc/report/collection_reason.h"

namespace jackdaw::gc {

/// The objects that a collection keeps.
enum class Kept : std::uint8_t {
  reachable,      ///< what roots lead to
  uncollectable,  ///< these alone, without marking: the program uses no others any more
};

/// One for the process. With the collector's lock.
class StopTheWorld {
 public:
  /// `verifies`: whether each marking is looked over (Verification).
  StopTheWorld(CollectorParts& parts, bool verifies) : parts_(parts), verifies_(verifies) {}

  /// Collects now. No cycle is under way. A collection that keeps only uncollectable objects is not verified
  /// and writes no dump. Throws std::bad_alloc, with nothing changed.
  CollectionTotals collect(CollectionReason reason, const OwnStack& own_stack, Kept kept = Kept::reachable);

  // --- For a cycle ---

  /// Returns the engine for a heap that holds `bytes`, before threads are stopped. Throws std::bad_alloc.
  MarkEngine& prepare_marking(std::uint64_t bytes);
  /// Returns the bytes in use, as far as is known.
  [[nodiscard]] std::uint64_t used_bytes() const {
    return parts_.counters.live_bytes() + parts_.heap.allocated_bytes();
  }
  /// Returns the roots that the program names.
  [[nodiscard]] RootSet::Program roots_of_program() const {
    return {parts_.hooks.more_roots, parts_.pauses.made()};
  }
  /// Marks from the roots, processes weak references and sweeps, or, if `sweeps_later`, begins the sweep
  /// where it need not be over at once. To be called while the program is stopped.
  void finish_stopped(const OwnStack& own_stack, bool sweeps_later);
  /// Notes the findings for the next collection and for the log, after finish_stopped().
  void note(const CollectionResult& result, CollectionRecord& record);

  /// Marks what is reachable and writes it, and returns whether all was written. It runs in a copy of the
  /// process that was forked while the program was stopped, with the locks of a fork held; `own_stack` is
  /// that of the thread that forked.
  bool write_snapshot(DumpStream& stream, const OwnStack& own_stack);

  /// Notes, in the child of a fork, that its free memory is the parent's.
  void after_fork_in_child() { has_memory_of_parent_ = true; }

 private:
  std::optional<CollectionTotals> collect_stopped(MarkEngine& marking, const OwnStack& own_stack, Kept kept,
                                                  CollectionRecord& record);
  void mark_stopped(const OwnStack& own_stack);
  void keep_uncollectable();
  void sweep_stopped(bool sweeps_later);
  void give_back_memory_of_parent();
  void verify(const OwnStack& own_stack);
  bool write_dump(DumpStream& stream, const OwnStack& own_stack);

  CollectorParts& parts_;
  const bool verifies_;
  bool has_memory_of_parent_ = false;  // as a child of a fork that has not collected yet
};

}  // namespace jackdaw::gc
