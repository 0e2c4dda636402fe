/*
 * gc_gcj.h: objects that begin with a pointer to their type, whose second word is a descriptor (gc_mark.h).
 *
 * The objects of gcj, the compiler for Java, were such, with the table of virtual functions as their type.
 */
#ifndef GC_GCJ_H
#define GC_GCJ_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes from the start of a type to the descriptor in it. */
#define GC_GCJ_MARK_DESCR_OFFSET sizeof(void*)

/* Must be called before the functions below; later calls do nothing. The mark procedure (a GC_mark_proc; null
   if there is none) gets the number `index`: one of those that GC_new_proc does not give out, such as
   GC_GCJ_RESERVED_MARK_PROC_INDEX, or one that it gave. It is called for all objects of GC_debug_gcj_malloc,
   with an environment of 1, and for those whose descriptors name it. */
GC_API void GC_CALL GC_init_gcj_malloc(int /* index */, void* /* mark_procedure */);

/* An object of a type, cleared but for its first word, which points to the type. The second promises what
   GC_malloc_ignore_off_page does. Errors are those of GC_malloc. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_gcj_malloc(size_t /* bytes */, void* /* type */) GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_gcj_malloc_ignore_off_page(size_t /* bytes */, void* /* type */)
    GC_ATTR_ALLOC_SIZE(1);

/* The same with checks (gc.h, section 5): the mark procedure sees the header, too. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_gcj_malloc(size_t /* bytes */, void* /* type */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(1);

/* The kinds of these objects, without checks and with them. 0 before GC_init_gcj_malloc. */
GC_API int GC_gcj_kind;
GC_API int GC_gcj_debug_kind;

#ifdef GC_DEBUG
#define GC_GCJ_MALLOC(bytes, type) GC_debug_gcj_malloc(bytes, type, GC_EXTRAS)
#define GC_GCJ_MALLOC_IGNORE_OFF_PAGE(bytes, type) GC_debug_gcj_malloc(bytes, type, GC_EXTRAS)
#else
#define GC_GCJ_MALLOC(bytes, type) GC_gcj_malloc(bytes, type)
#define GC_GCJ_MALLOC_IGNORE_OFF_PAGE(bytes, type) GC_gcj_malloc_ignore_off_page(bytes, type)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_GCJ_H */
