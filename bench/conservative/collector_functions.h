// CollectorFunctions: the part of libgc's C interface that building and collecting a heap takes, once from
// libgc and once from Jackdaw, so that the same code runs both.
#pragma once

// With the thread functions, but without replacing pthread_create: other threads here are no collector's
// business.
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include "jackdaw/gc.h"
#include "jackdaw/gc_mark.h"

#include <string>

namespace jackdaw::bench {

// The functions that every collector must offer, by their names without the GC_ in front.
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

/// One collector, by the functions of its interface. A collector is one to a process.
struct CollectorFunctions {
  const char* name = nullptr;  ///< for people
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name cannot stand in any
#define JACKDAW_DECLARE(function) decltype(&GC_##function) function = nullptr
  JACKDAW_FOR_EACH_COLLECTOR_FUNCTION(JACKDAW_DECLARE);
#undef JACKDAW_DECLARE

  /// The version that the loaded library reports, such as "8.2.2".
  [[nodiscard]] std::string version() const;
};

/// Jackdaw's, which are linked with this program.
CollectorFunctions jackdaw_functions();

/// libgc's, loaded in such a way that its names and ours stay apart. `folder` holds libgc.so.1, itself or in
/// its folder lib; if it is empty, the loader looks for the library. Throws InputError when it is not there.
CollectorFunctions libgc_functions(const std::string& folder = "");

}  // namespace jackdaw::bench
