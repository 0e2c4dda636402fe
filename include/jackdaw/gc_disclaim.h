/*
 * gc_disclaim.h: procedures that are asked before the memory of a dead object is used again.
 *
 * Finalizers of that sort cost less than those of gc.h, section 8, and are called by the collection that
 * finds the object dead; but they cannot bring the object back, and are called with the lock held.
 */
#ifndef GC_DISCLAIM_H
#define GC_DISCLAIM_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the procedure of a kind (gc_mark.h): it is called with the first address of each dead object of
   the kind, when the other threads run again, with the lock held, so it may not allocate. If it returns
   nonzero the object lives on until the next collection; it must not be brought back otherwise. With
   mark_from_all nonzero, what a dead object refers to is kept until the object was given up; chains of such
   objects take a collection for each. GC_free does not ask. Does nothing in the leak-finding mode. */
typedef int(GC_CALLBACK* GC_disclaim_proc)(void* /* object */);
GC_API void GC_CALL GC_register_disclaim_proc(int /* kind */, GC_disclaim_proc, int /* mark_from_all */)
    GC_ATTR_NONNULL(2);

/* A finalizer and its data, for GC_finalized_malloc. */
struct GC_finalizer_closure {
  GC_finalization_proc proc;
  void* cd;
};

/* Must be called before GC_finalized_malloc. Later calls do nothing. */
GC_API void GC_CALL GC_init_finalized_malloc(void);

/* An object for which proc(object, cd) is called when it is found dead, with the lock held; what the object,
   proc and cd refer to is kept until then. The closure must be at an even address. The object's first address
   (GC_base) is the word before the one that is returned. Errors are those of GC_malloc. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_finalized_malloc(size_t /* bytes */,
                                                        const struct GC_finalizer_closure*)
    GC_ATTR_ALLOC_SIZE(1) GC_ATTR_NONNULL(2);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_DISCLAIM_H */
