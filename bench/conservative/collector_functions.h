// CollectorFunctions: the functions of libgc's C interface that build and collect a heap, from libgc or from
// Jackdaw, so that the same code runs both.
#pragma once

// The thread functions are declared, but pthread_create is not replaced: other threads here do not use a
// collector.
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include "jackdaw/gc.h"
#include "jackdaw/gc_mark.h"

#include <string>

namespace jackdaw::bench {

// Every collector must offer these functions, named here without GC_.
#define JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(apply) \
  apply(get_version);                              \
  apply(set_all_interior_pointers);                \
  apply(set_markers_count);                        \
  apply(set_no_dls);                               \
  apply(set_warn_proc);                            \
  apply(ignore_warn_proc);                         \
  apply(init);                                     \
  apply(start_mark_threads);                       \
  apply(get_parallel);                             \
  apply(clear_roots);                              \
  apply(add_roots);                                \
  apply(remove_roots);                             \
  apply(register_displacement);                    \
  apply(disable);                                  \
  apply(enable);                                   \
  apply(malloc);                                   \
  apply(malloc_atomic);                            \
  apply(malloc_ignore_off_page);                   \
  apply(malloc_atomic_ignore_off_page);            \
  apply(gcollect);                                 \
  apply(get_heap_size);                            \
  apply(call_with_alloc_lock);                     \
  apply(enumerate_reachable_objects_inner)

/// The functions of one collector. A process has at most one collector of each library.
struct CollectorFunctions {
  const char* name = nullptr;  ///< for people
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name cannot stand in any
#define JACKDAW_DECLARE(function) decltype(&GC_##function) function = nullptr
  JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(JACKDAW_DECLARE);
#undef JACKDAW_DECLARE

  /// Returns the version that the loaded library reports, such as "8.2.2".
  [[nodiscard]] std::string version() const;
};

/// Returns Jackdaw's functions, which are linked with this program.
CollectorFunctions jackdaw_functions();

/// Returns libgc's functions, loaded apart from ours. `folder` holds libgc.so.1, directly or in its folder
/// lib; if it is empty, the loader searches for the library. Throws InputError when it is missing.
CollectorFunctions libgc_functions(const std::string& folder = "");

}  // namespace jackdaw::bench
