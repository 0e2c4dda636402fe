// Names that libgc exports without declaring them in a header that it installs. Programs that declare them
// themselves find them here, too.
#pragma once

#include "gc/c/interface.h"

extern "C" {

// --- Output (log.cc) ---

/// These are printf, straight to a file descriptor: the standard output, the error output and the log. At
/// most 1023 bytes.
GC_API void GC_printf(const char* format, ...) __attribute__((__format__(__printf__, 1, 2)));
GC_API void GC_err_printf(const char* format, ...) __attribute__((__format__(__printf__, 1, 2)));
GC_API void GC_log_printf(const char* format, ...) __attribute__((__format__(__printf__, 1, 2)));

/// The function that GC_set_abort_func sets.
GC_API GC_abort_func GC_on_abort;

// --- For allocators that programs bring along (free_lists.cc, statistics.cc) ---

/// Lists of free objects, by granules: of GC_malloc, GC_malloc_atomic, GC_malloc_uncollectable and
/// GC_malloc_atomic_uncollectable. They are empty. The next collection forgets what the program puts in.
// NOLINTBEGIN(readability-identifier-naming): libgc's names
GC_API void** const GC_objfreelist_ptr;
GC_API void** const GC_aobjfreelist_ptr;
GC_API void** const GC_uobjfreelist_ptr;
GC_API void** const GC_auobjfreelist_ptr;
// NOLINTEND(readability-identifier-naming)

/// Count bytes as allocated, or freed explicitly, since the last collection: for objects that the program
/// took from lists, or put back. Any thread.
GC_API void GC_incr_bytes_allocd(size_t bytes);
GC_API void GC_incr_bytes_freed(size_t bytes);

// --- Others (undeclared.cc) ---

/// A use of a value that no compiler sees through.
GC_API void GC_noop1(GC_word value);

/// Where libgc has its own variables. Here there is nothing in it.
GC_API GC_word GC_arrays;
}
