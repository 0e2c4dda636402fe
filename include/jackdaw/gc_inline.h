/*
 * gc_inline.h: allocation by the list, and the macros of compilers that generate C.
 *
 * libgc's macros take objects from lists of the caller's (tiny_fl) without a call. An allocation here is a
 * call already made short, so the macros are calls and leave such lists alone.
 */
#ifndef GC_INLINE_H
#define GC_INLINE_H

#include "gc.h"
#include "gc_tiny_fl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds (gc_mark.h) of GC_malloc_atomic and GC_malloc. */
#define GC_I_PTRFREE 0
#define GC_I_NORMAL 1

/* Whether objects are not made a byte longer than was asked for where all interior pointers count. Always 0:
   they are, so that an address just behind the last byte counts. */
GC_API int GC_CALL GC_get_dont_add_byte_at_end(void);

/* Stores in *list several objects of a kind and a size, linked through their first words and ended by null;
   the rest of each is clear if the kind clears its objects. Null when memory ran out. The caller keeps the
   list reachable by having *list scanned. Nothing follows the links of objects without pointers: of these,
   only the first outlives a collection. */
GC_API void GC_CALL GC_generic_malloc_many(size_t /* bytes */, int /* kind */, void** /* list */);

/* Writes a line for each free place for objects of a kind and so many granules to the standard output. For
   debuggers. */
GC_API void GC_CALL GC_print_free_list(int /* kind */, size_t /* granules */);

/* An object of a kind, as GC_malloc and GC_malloc_atomic make them. The second is the same. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_kind(size_t /* bytes */, int /* kind */) GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_kind_global(size_t /* bytes */, int /* kind */)
    GC_ATTR_ALLOC_SIZE(1);

#ifdef __cplusplus
} /* extern "C" */
#endif

/* Statements that store an object in `result`, or null.

   GC_FAST_MALLOC_GRANS: an object of so many granules of a kind; `init` is executed when there is one, and
   `otherwise` is the value for sizes of GC_TINY_FREELISTS granules and more. */
#define GC_FAST_MALLOC_GRANS(result, granules, tiny_fl, num_direct, kind, otherwise, init)                   \
  do {                                                                                                       \
    const size_t GC_grans = (granules);                                                                      \
    (void)(tiny_fl);                                                                                         \
    if (GC_grans >= GC_TINY_FREELISTS) {                                                                     \
      (result) = (otherwise);                                                                                \
    } else {                                                                                                 \
      (result) = GC_malloc_kind(GC_grans == 0 ? GC_GRANULE_BYTES : GC_RAW_BYTES_FROM_INDEX(GC_grans), kind); \
      if ((result) != NULL) {                                                                                \
        init;                                                                                                \
      }                                                                                                      \
    }                                                                                                        \
  } while (0)

/* An object of so many words: of a kind; as GC_malloc; as GC_malloc_atomic. */
#define GC_MALLOC_WORDS_KIND(result, words, tiny_fl, kind, init)                                  \
  do {                                                                                            \
    const size_t GC_bytes = GC_RAW_BYTES_FROM_INDEX(GC_WORDS_TO_WHOLE_GRANULES((size_t)(words))); \
    (void)(tiny_fl);                                                                              \
    (result) = GC_malloc_kind(GC_bytes, kind);                                                    \
    if ((result) != NULL) {                                                                       \
      init;                                                                                       \
    }                                                                                             \
  } while (0)
#define GC_MALLOC_WORDS(result, words, tiny_fl) \
  GC_MALLOC_WORDS_KIND(result, words, tiny_fl, GC_I_NORMAL, *(void**)(result) = NULL)
#define GC_MALLOC_ATOMIC_WORDS(result, words, tiny_fl) \
  GC_MALLOC_WORDS_KIND(result, words, tiny_fl, GC_I_PTRFREE, (void)0)

/* An object of two words, with these contents. */
#define GC_CONS(result, first, second, tiny_fl)                     \
  do {                                                              \
    void* const GC_car = (void*)(first);                            \
    void* const GC_cdr = (void*)(second);                           \
    GC_MALLOC_WORDS_KIND(result, 2, tiny_fl, GC_I_NORMAL, (void)0); \
    if ((result) != NULL) {                                         \
      ((void**)(result))[0] = GC_car;                               \
      ((void**)(result))[1] = GC_cdr;                               \
    }                                                               \
    GC_reachable_here(GC_car);                                      \
    GC_reachable_here(GC_cdr);                                      \
  } while (0)

#endif /* GC_INLINE_H */
