// MarkEngine: a marking engine for Jackdaw's heap.
//
// Markers are templates; this is the one virtual call that stands before them, a few times in a collection.
// The library has one engine. Comparisons make others (gc/marking/mark_engine_with.h).
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "base/export.h"
#include "gc/marking/mark_task.h"
#include "heap/block_map.h"
#include "heap/object.h"
#include "machine/binding.h"
#include "mark/marker_base.h"
#include "mark/marker_options.h"

namespace jackdaw::gc {

class WeakReferences;

/// The heap that is marked.
struct MarkedHeap {
  const heap::BlockMap& map;
  WeakReferences* weak_references = nullptr;  ///< of the heap; null: it has none
  /// Whether the program runs meanwhile. Then objects of kinds with layouts are marked and not visited: what
  /// their procedures, and those of the program, would read may change. Visit them when it has stopped.
  bool program_runs = false;
};

/// A marker, and the heap's object model for it.
class MarkEngine {
 public:
  MarkEngine() = default;
  virtual ~MarkEngine() = default;
  MarkEngine(const MarkEngine&) = delete;
  MarkEngine& operator=(const MarkEngine&) = delete;

  virtual mark::MarkerBase& marker() = 0;
  /// Marks in `heap` as mark::Marker::mark() does.
  virtual bool mark(const MarkedHeap& heap, std::span<heap::Object* const> roots,
                    std::span<const MarkTask> rescans) = 0;
};

struct MarkingOptions;
/// Makes an engine and starts its threads. Throws std::invalid_argument for what the engine cannot do, and
/// std::bad_alloc.
using MarkEngineMaker = std::function<std::unique_ptr<MarkEngine>(const MarkingOptions& options)>;

/// Makes the library's engine: LIFO BWoS queues, NUMA-aware probabilistic victims.
JACKDAW_EXPORT std::unique_ptr<MarkEngine> make_mark_engine(const MarkingOptions& options);

/// How the marking is set up.
struct MarkingOptions {
  /// Unless its `nodes` are given, they are those of the machine.
  mark::MarkerOptions engine;
  /// The processors that helper threads are bound to, unless the engine's `nodes` or `on_helper_start` are
  /// given. The thread that collects is the program's and stays as it is.
  machine::Binding binding = machine::Binding::automatic;
  MarkEngineMaker make = make_mark_engine;
};

/// Whether the engine is made by what the machine is like: several memory nodes, or threads that are bound.
bool depends_on_machine(const MarkingOptions& options);

/// The engine's options, with how many workers can run at once and where they are at home.
JACKDAW_EXPORT mark::MarkerOptions on_this_machine(const MarkingOptions& options);

}  // namespace jackdaw::gc
