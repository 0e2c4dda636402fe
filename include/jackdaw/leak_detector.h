/*
 * leak_detector.h: malloc and its like become the collector's functions with checks, so that leaks can be
 * found (gc.h, section 12) in a program that knows nothing of a collector. Included first in each of its
 * sources.
 */
#ifndef GC_LEAK_DETECTOR_H
#define GC_LEAK_DETECTOR_H

#ifndef GC_DEBUG
#define GC_DEBUG
#endif
#include "gc.h"

/* What declares the names that are redefined below. */
#ifndef GC_DONT_INCLUDE_STDLIB
#include <stdlib.h>
#include <string.h>
#endif
#ifdef GC_REQUIRE_WCSDUP
#include <wchar.h>
#endif

#undef malloc
#undef calloc
#undef realloc
#undef free
#undef memalign
#undef posix_memalign
#undef aligned_alloc
#undef valloc
#undef pvalloc
#undef reallocarray
#undef reallocf
#undef freezero
#undef freezeroall
#undef malloc_usable_size
#undef strdup
#undef strndup
#define malloc(bytes) GC_MALLOC(bytes)
#define calloc(count, bytes) GC_MALLOC((count) * (bytes))
#define realloc(object, bytes) GC_REALLOC(object, bytes)
#define free(object) GC_FREE(object)
#define memalign(alignment, bytes) GC_memalign(alignment, bytes)
#define posix_memalign(memptr, alignment, bytes) GC_posix_memalign(memptr, alignment, bytes)
#define aligned_alloc(alignment, bytes) GC_memalign(alignment, bytes)
#define valloc(bytes) GC_valloc(bytes)
#define pvalloc(bytes) GC_pvalloc(bytes)
#define reallocarray(object, count, bytes) GC_REALLOC(object, (count) * (bytes))
#define reallocf(object, bytes) GC_REALLOCF(object, bytes)
#define freezero(object, bytes) GC_FREEZERO(object, bytes)
#define freezeroall(object) GC_FREEZEROALL(object)
#define malloc_usable_size(object) GC_size(object)
#define strdup(string) GC_STRDUP(string)
#define strndup(string, count) GC_STRNDUP(string, count)
#ifdef GC_REQUIRE_WCSDUP
#undef wcsdup
#define wcsdup(string) GC_WCSDUP(string)
#endif

/* Reports the leaks there are. In the leak-finding mode the end of the program does so, too. */
#ifndef CHECK_LEAKS
#define CHECK_LEAKS() GC_gcollect()
#endif

#endif /* GC_LEAK_DETECTOR_H */
