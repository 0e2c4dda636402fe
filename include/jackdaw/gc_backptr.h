/*
 * gc_backptr.h: who refers to an object. The library has none of these functions, as libgc has none unless it
 * was built for them (KEEP_BACK_PTRS): their use fails to link.
 */
#ifndef GC_BACKPTR_H
#define GC_BACKPTR_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known: nothing; the object has no room for it; a root, a register or an object refers to it; it has
   a finalizer. */
typedef enum {
  GC_UNREFERENCED,
  GC_NO_SPACE,
  GC_REFD_FROM_ROOT,
  GC_REFD_FROM_REG,
  GC_REFD_FROM_HEAP,
  GC_FINALIZER_REFD
} GC_ref_kind;

GC_API GC_ref_kind GC_CALL GC_get_back_ptr_info(void* /* object */, void** /* base */, size_t* /* offset */)
    GC_ATTR_NONNULL(1);
GC_API void* GC_CALL GC_generate_random_heap_address(void);
GC_API void* GC_CALL GC_generate_random_valid_address(void);
GC_API void GC_CALL GC_generate_random_backtrace(void);
GC_API void GC_CALL GC_print_backtrace(void* /* object */) GC_ATTR_NONNULL(1);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_BACKPTR_H */
