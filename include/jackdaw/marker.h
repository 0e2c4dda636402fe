// Jackdaw's parallel marking engine, for runtimes with a heap of their own. (Others include
// jackdaw/collector.h.)
//
//   struct Model { ... };                       // where marks and references are: jackdaw/object_model.h
//   jackdaw::MarkerOptions options;
//   options.threads = 8;
//   jackdaw::Marker<Model> marker(options);     // made once; its threads sleep between collections
//
//   marker.wake_helpers();                      // optional: they wake while the program is being stopped
//   // Stop the program, clear the marks, and then:
//   bool complete = marker.mark(model, roots);
//
// - A marking is one or more calls of mark() between the clearing of the marks and the sweep. Each marks what
//   its roots lead to besides what is marked already.
// - Weak references: visit() notes those that it sees, for each worker apart (sink.worker()), and reports
//   nothing. After the last mark() those are cleared whose objects are not marked.
// - Ephemerons: visit() notes them and reports nothing. After mark(), the values of those whose keys are
//   marked are the roots of the next mark(), until there are none.
// - Finalizers: after mark(), objects with finalizers that are not marked are the roots of another mark().
// - mark() is false when there was no memory to remember what is still to be visited. Then call it with the
//   tasks of all marked objects as `rescans`, in pieces of any size, until it is true for each.
// - It never throws, and neither may the model. statistics() has the figures of the last call.
// - After fork the child has no helpers: the caller marks alone there, and a Marker may be destroyed.
//
// Link jackdaw::mark, a small static library. It brings options that align functions and loops, on which up
// to a tenth of the mark loop's speed depends. Exceptions may be turned off: what would throw then ends the
// process with a line on stderr. examples/embedder shows all of it.
#pragma once

#if __cplusplus < 202002L
#error "Jackdaw's C++ interface needs C++20: compile with -std=c++20"
#else

#include "jackdaw/object_model.h"  // IWYU pragma: export
#include "mark/marker.h"
#include "mark/marker_options.h"
#include "mark/statistics.h"

namespace jackdaw {

/// The engine with its defaults: LIFO BWoS queues and NUMA-aware probabilistic victims.
template <ObjectModel Model>
using Marker = mark::Marker<Model>;

using mark::MarkerOptions;
using mark::WorkerStatistics;
/// The sum of all workers' counts.
using mark::total;

}  // namespace jackdaw

#endif
