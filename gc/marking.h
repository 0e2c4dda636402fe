// Marking: a marking engine for Jackdaw's heap whose queue, victim policy and termination detector were
// chosen by name at run time.
//
// The engines are templates; this is the one virtual call that stands before them, once a collection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gc/mark_task.h"
#include "heap/export.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "mark/binding.h"
#include "mark/marker.h"
#include "mark/statistics.h"

namespace jackdaw::gc {

/// How the marking is set up.
struct MarkingOptions {
  /// The engine's `victim` and `termination` are among the names below. Unless its `nodes` are given, they
  /// are those of the machine.
  mark::MarkerOptions engine;
  /// What helper threads are tied to, unless the engine's `nodes` or `on_helper_start` are given. The thread
  /// that collects is the program's and stays as it is.
  mark::Binding binding = mark::Binding::automatic;
  std::string queue;  ///< one of queue_names(); empty: the default
};

/// The names of the queues, of the victim policies and of the termination detectors; the first of each is the
/// default.
JACKDAW_EXPORT std::vector<std::string_view> queue_names();
JACKDAW_EXPORT std::vector<std::string_view> victim_names();
JACKDAW_EXPORT std::vector<std::string_view> termination_names();
/// Whether the queue of that name is for one thread alone: the bounds that concurrent queues are held
/// against.
JACKDAW_EXPORT bool serves_one_thread_alone(std::string_view queue);

/// See mark::Marker, whose functions these are.
class Marking {
 public:
  Marking() = default;
  virtual ~Marking() = default;
  Marking(const Marking&) = delete;
  Marking& operator=(const Marking&) = delete;

  virtual void rouse_helpers() = 0;
  /// Marks in the heap whose map this is.
  virtual bool mark(const heap::BlockMap& map, std::span<heap::Object* const> roots,
                    std::span<const MarkTask> revisits) = 0;
  [[nodiscard]] virtual std::span<const mark::WorkerStatistics> statistics() const = 0;
  [[nodiscard]] virtual std::uint32_t worker_count() const = 0;
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;
};

/// Whether the engine is made by what the machine is like: several memory nodes, or threads that are bound.
bool depends_on_machine(const MarkingOptions& options);

/// Makes the engine and starts its threads. Throws std::invalid_argument for a name that is not in the lists,
/// a number out of range, and several threads with a queue for one.
JACKDAW_EXPORT std::unique_ptr<Marking> make_marking(const MarkingOptions& options);

}  // namespace jackdaw::gc
