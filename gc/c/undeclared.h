// Names that libgc exports but declares in no installed header. They are here for programs that declare them
// themselves.
#pragma once

#include "gc/c/interface.h"

extern "C" {

// --- Output (log.cc) ---

/// These print, as printf does, to the standard output, the error output and the log, without a stream. At
/// most 1023 bytes.
GC_API void GC_printf(const char* format, ...) __attribute__((__format__(__printf__, 1, 2)));
GC_API void GC_err_printf(const char* format, ...) __attribute__((__format__(__printf__, 1, 2)));
GC_API void GC_log_printf(const char* format, ...) __attribute__((__format__(__printf__, 1, 2)));

/// The function that GC_set_abort_func sets.
GC_API GC_abort_func GC_on_abort;

// --- For allocators that programs bring along (free_lists.cc, statistics.cc) ---

/// The lists of free objects, by granules, of GC_malloc, GC_malloc_atomic, GC_malloc_uncollectable and
/// GC_malloc_atomic_uncollectable. They are empty, and a collection clears what the program adds.
// NOLINTBEGIN(readability-identifier-naming): libgc's names
GC_API void** const GC_objfreelist_ptr;
GC_API void** const GC_aobjfreelist_ptr;
GC_API void** const GC_uobjfreelist_ptr;
GC_API void** const GC_auobjfreelist_ptr;
// NOLINTEND(readability-identifier-naming)

/// These count bytes of objects that the program took from lists, or returned to them, as allocated or
/// explicitly freed since the last collection. Any thread.
GC_API void GC_incr_bytes_allocd(size_t bytes);
GC_API void GC_incr_bytes_freed(size_t bytes);

// --- Others (undeclared.cc) ---

/// libgc has its own variables there. Here it is empty.
GC_API GC_word GC_arrays;
}
