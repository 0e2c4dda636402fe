// Marking: a marking engine for Jackdaw's heap.
//
// Engines are templates; this is the one virtual call that stands before them, once a collection. The library
// has one engine. Comparisons make others (gc/marking/marking_with.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/export.h"
#include "gc/marking/mark_task.h"
#include "heap/block_map.h"
#include "heap/object.h"
#include "machine/binding.h"
#include "mark/marker_options.h"
#include "mark/statistics.h"
#include "mark/thread_pool.h"

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

/// See mark::Marker, whose functions these are.
class Marking {
 public:
  Marking() = default;
  virtual ~Marking() = default;
  Marking(const Marking&) = delete;
  Marking& operator=(const Marking&) = delete;

  virtual void wake_helpers(std::uint32_t least) = 0;
  void wake_helpers() { wake_helpers(0); }
  virtual void share(mark::ThreadPool::Job part, std::uint32_t parts) = 0;
  virtual void share_with_all(mark::ThreadPool::Job part, std::uint32_t parts) = 0;
  virtual void set_most_workers(std::uint32_t workers) = 0;
  virtual bool mark(const MarkedHeap& heap, std::span<heap::Object* const> roots,
                    std::span<const MarkTask> rescans) = 0;
  [[nodiscard]] virtual std::span<const mark::WorkerStatistics> statistics() const = 0;
  [[nodiscard]] virtual std::span<const std::uint32_t> steals_by_victim(std::uint32_t worker) const = 0;
  [[nodiscard]] virtual std::uint32_t worker_count() const = 0;
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

struct MarkingOptions;
/// Makes an engine and starts its threads. Throws std::invalid_argument for what the engine cannot do, and
/// std::bad_alloc.
using MarkingMaker = std::function<std::unique_ptr<Marking>(const MarkingOptions& options)>;

/// Makes the library's engine: LIFO BWoS queues, NUMA-aware probabilistic victims.
JACKDAW_EXPORT std::unique_ptr<Marking> make_marking(const MarkingOptions& options);

/// How the marking is set up.
struct MarkingOptions {
  /// Unless its `nodes` are given, they are those of the machine.
  mark::MarkerOptions engine;
  /// The processors that helper threads are bound to, unless the engine's `nodes` or `on_helper_start` are
  /// given. The thread that collects is the program's and stays as it is.
  machine::Binding binding = machine::Binding::automatic;
  MarkingMaker make = make_marking;
};

/// Whether the engine is made by what the machine is like: several memory nodes, or threads that are bound.
bool depends_on_machine(const MarkingOptions& options);

/// The engine's options, with how many workers can run at once and where they are at home.
JACKDAW_EXPORT mark::MarkerOptions on_this_machine(const MarkingOptions& options);

}  // namespace jackdaw::gc
