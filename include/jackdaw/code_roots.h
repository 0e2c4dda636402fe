/*
 * code_roots.h: machine code made at run time, whose instructions contain addresses of collected objects.
 *
 * libgc has no such interface: these names are Jackdaw's own. A compiler puts an address into an instruction
 * at any byte, while GC_add_roots finds addresses in aligned words alone. Data sections of such code, whose
 * words are aligned, are added with GC_add_roots. An address that instructions put together from parts, as
 * those of AArch64 do, is not found: there, objects are kept by the code's constants in memory.
 */
#ifndef JACKDAW_CODE_ROOTS_H
#define JACKDAW_CODE_ROOTS_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Has each collection search the bytes from `low` to `high`, one past the last, for addresses of objects: the
   eight bytes from each byte on, whatever their alignment. An address anywhere in an object keeps it. Pages
   that cannot be read, or are not mapped, at the time of a collection are left out, so the program may map,
   protect and unmap them as it likes; collections look while the program is stopped, and change no
   protection. Ranges may overlap. Code that is written after this call counts as soon as it is there; until
   then, the addresses must be kept otherwise. O(1), with the roots' lock: any thread, but no callback of a
   collection. Returns 1, or 0 with nothing changed when there is no memory. */
GC_API int GC_CALL jackdaw_code_roots_add(void* /* low */, void* /* high */);

/* Removes the ranges of code that lie wholly between: as when their memory is to be unmapped or given to
   others. O(ranges), likewise. */
GC_API void GC_CALL jackdaw_code_roots_remove(void* /* low */, void* /* high */);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* JACKDAW_CODE_ROOTS_H */
