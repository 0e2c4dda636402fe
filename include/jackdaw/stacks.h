/*
 * stacks.h: stacks that the program switches between itself, as fibers and coroutines do.
 *
 * libgc has no such interface: these names are Jackdaw's own. A program registers each stack with the address
 * of the word in which its switch saves the stack pointer. The collector then scans idle stacks from the
 * saved pointer on, with all mark threads, and those that did not change while it marked beside the program
 * not again. A switch calls nothing and takes no lock.
 *
 * The protocol has one rule for a switch from stack A to stack B, on a thread that the collector knows:
 *
 *   1. all registers that the fiber needs later are stored on A, or in other memory that the collector scans;
 *   2. the stack pointer is stored in A's word;
 *   3. the stack pointer is set to B's.
 *
 * Nothing tells the collector which stack runs: it is the one that the real stack pointer of a stopped thread
 * lies in, and it is scanned from there. So a thread may be stopped between any two instructions. Before 3, A
 * runs, whatever its word says; from 3 on its word is valid, and B's does not count. A word that lies outside
 * its stack's bounds makes the collector scan the whole stack; one that is equal to `high`, nothing of it.
 *
 * A thread that a collection must not wait for (GC_do_blocking) does not switch stacks meanwhile. A finished
 * or pooled stack may stay registered, with its word set to `high`. A thread may end while it runs on a
 * registered stack, which stays registered. In the child of a fork all stacks stay registered; those that
 * other threads ran on count as idle.
 */
#ifndef JACKDAW_STACKS_H
#define JACKDAW_STACKS_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the stack from `low`, its lowest address, to `high`, one past its last byte. `saved` is the
   address of the word in which its stack pointer is saved. Both the word and the memory from the saved
   pointer to `high` must stay readable until the stack is unregistered; guard pages below may lie within the
   bounds. To register keeps no collected object alive in which the word or the stack lies. The stack may lie
   anywhere, also in an object, on a thread's own stack or in a root that is scanned wholly; one in an object
   of GC_malloc_atomic is scanned only as a stack. O(log n). Returns 1, or 0 with nothing changed when there
   is no memory. Ends the program when the bounds are empty or reversed, `saved` is null, or the stack
   overlaps a registered one. All functions here take the lock of the table of threads, and may be called by
   any thread, but not by callbacks of a collection. */
GC_API int GC_CALL jackdaw_stack_register(void* /* low */, void* /* high */, void* const* /* saved */);

/* Changes the bounds of the stack that was registered with `low`, whether a thread runs on it or not. A stack
   that grows downwards in place is enlarged before the stack pointer leaves the old bounds; one that moves is
   changed before its first use in the new place. Returns and ends as above; also ends the program when no
   stack begins at `low`. */
GC_API int GC_CALL jackdaw_stack_set_bounds(void* /* low */, void* /* new_low */, void* /* new_high */);

/* Unregisters the stack that begins at `low`; what it holds keeps nothing any more. When this returns the
   collector does not read its memory or its word, so both may be unmapped. Ends the program when no stack
   begins at `low`. */
GC_API void GC_CALL jackdaw_stack_unregister(void* /* low */);

/* Says in which word the stack pointer of the calling thread's own stack, which is not registered, is saved
   when the thread leaves it for a registered one. Without it, or with null, all of that stack is scanned
   meanwhile. The word must stay readable until the thread ends or calls this again. */
GC_API void GC_CALL jackdaw_stack_set_own(void* const* /* saved */);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* JACKDAW_STACKS_H */
