// collect_garbage: collections at the program's request, heap dumps, and figures of the heap.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/export.h"
#include "gc/process/threads/stack_state.h"

namespace jackdaw {

/// See gc/process/threads/stack_state.h.
using gc::StackState;

/// Collects now, and runs the destructors of objects that are found dead, unless the calling thread is in one
/// already. Throws std::bad_alloc, with nothing collected. Any thread.
JACKDAW_EXPORT void collect_garbage(StackState stack = StackState::may_hold_references);

/// Drops all collectable objects at once, without marking, and returns their memory to the system: where one
/// request ends and another begins, or before the program's end. Nothing may use a collected object any more,
/// be it by a stack, a register, static data or memory of malloc, in any thread. Persistents and
/// WeakPersistents become null; no destructor is called, except for objects that were found dead before.
/// Objects of the C interface that are uncollectable stay (GC_drop_all_objects in <jackdaw/gc.h>). Throws
/// std::bad_alloc, with nothing dropped. Any thread, while no other uses the heap.
JACKDAW_EXPORT void drop_all_objects();

/// Collects, and writes every live object, its references and all roots to the file at `path`, in which %p
/// stands for the process's number and %n for the collection's (docs/heap-dump.md). Returns when the file is
/// complete; false when it could not be written, or collections are disabled. Throws std::bad_alloc. Any
/// thread.
JACKDAW_EXPORT bool dump_heap(const char* path);

/// Takes a sample of what is allocated every `every` bytes on average from now on, and forgets those taken
/// before (docs/profile.md). Any thread, as for the next two.
JACKDAW_EXPORT void start_profile(std::uint64_t every = std::uint64_t{512} << 10);
/// Takes no more samples.
JACKDAW_EXPORT void stop_profile();
/// Writes what was allocated since the start, and what of it the last collection found alive, to the file at
/// `path`, in which %p stands for the process's number. False, with one line on the error output, when it
/// cannot be written. Throws std::bad_alloc.
JACKDAW_EXPORT bool write_profile(const char* path);

/// Returns the processor time that the collector has taken so far: of its own threads, and of the program's
/// threads while they collect, or sweep because they need memory. Destructors and finalizers do not count,
/// nor do threads that are stopped. Takes the collector's lock. In the child of a fork it begins at zero. Any
/// thread.
JACKDAW_EXPORT std::chrono::nanoseconds collector_processor_time();

/// Figures of the process's heap, for objects of all interfaces.
struct HeapStatistics {
  std::uint64_t collections = 0;
  std::uint64_t heap_bytes = 0;       ///< taken from the system for objects and their marks
  std::uint64_t live_bytes = 0;       ///< found live by the last collection
  std::uint64_t allocated_bytes = 0;  ///< handed out to threads since, by whole free runs
};

/// Returns the figures; each is right at some time during the call. Any thread.
JACKDAW_EXPORT HeapStatistics heap_statistics();

}  // namespace jackdaw
