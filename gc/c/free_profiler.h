// The free profiler: a heap profiler's function that is told of each object that was freed, if there is one.
#pragma once

namespace jackdaw::c_interface {

/// Finds out whether a profiler has put a function in the place of GC_free_profiler_hook. For GC_init.
void look_for_free_profiler();
/// Whether GC_free_profiler_hook is to be told of an object that is about to be freed explicitly. Set before
/// there are other threads.
[[gnu::visibility("hidden")]] extern constinit bool has_free_profiler;
/// Tells the profiler, if there is one, of all unmarked objects. To be called while no other thread runs,
/// after the last marking.
void tell_profiler_of_dead();

}  // namespace jackdaw::c_interface
