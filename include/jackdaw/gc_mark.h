/*
 * gc_mark.h: for language runtimes on the heap of this collector, which know their objects better than a scan
 * for pointers does.
 *
 * A "kind" is a set of objects that are marked alike; its descriptor says how. A program can make kinds of
 * its own, with mark procedures of its own, and take part in finding roots. Mistakes here corrupt the heap.
 *
 * Functions named _inner are called with the lock held (gc.h, section 10), the others without.
 */
#ifndef GC_MARK_H
#define GC_MARK_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Mark procedures --------------------------------------------------------------------------------- */

/* A place on the mark stack. Programs only pass it on. */
struct GC_ms_entry {
  void* opaque;
};

/* The start of a block of the heap, of GC_get_hblk_size bytes. */
struct GC_hblk_s {
  void* opaque;
};

/* A mark procedure looks at the object at `object` and calls GC_MARK_AND_PUSH for each pointer that it finds
   there, passing on the top of the mark stack and returning the last value of it. `environment` is the one of
   the descriptor (GC_MAKE_PROC). It must find no more than a scan of all words of the object would. It may be
   called on any mark thread, by several at a time, with the program stopped; also for objects that are free,
   which are cleared but for their first word. It may not allocate. About GC_PROC_BYTES bytes are a fair piece
   of work for one call. */
typedef struct GC_ms_entry* (*GC_mark_proc)(GC_word* /* object */, struct GC_ms_entry* /* top */,
                                            struct GC_ms_entry* /* limit */, GC_word /* environment */);
#define GC_PROC_BYTES 100

/* Registers a mark procedure and returns its number, for GC_MAKE_PROC. There can be GC_MAX_MARK_PROCS, of
   which the first GC_RESERVED_MARK_PROCS and the last three are not given out; one more aborts the program.
   The first are for programs that must know a number beforehand (gc_gcj.h). */
#define GC_LOG_MAX_MARK_PROCS 6
#define GC_MAX_MARK_PROCS (1 << GC_LOG_MAX_MARK_PROCS)
#define GC_RESERVED_MARK_PROCS 8
#define GC_GCJ_RESERVED_MARK_PROC_INDEX 0
GC_API unsigned GC_CALL GC_new_proc(GC_mark_proc);
GC_API unsigned GC_CALL GC_new_proc_inner(GC_mark_proc);

/* Marks an object that a mark procedure found, at `source` (which may be null), and sees to it that it is
   scanned. Any address is allowed; one that is no object's is ignored. Returns the new top. */
GC_API struct GC_ms_entry* GC_CALL GC_mark_and_push(void* /* object */, struct GC_ms_entry* /* top */,
                                                    struct GC_ms_entry* /* limit */, void** /* source */);

/* Have what lies at an address be scanned as a descriptor (below) says, or the words of [low, high), for a
   mark procedure that returns the new top: so can a large object be left to the next calls of the procedure.
   Nothing need be an object there, and no mark is set. */
GC_API struct GC_ms_entry* GC_CALL GC_ms_push_obj_descr(void* /* object */, GC_word /* descriptor */,
                                                        struct GC_ms_entry* /* top */,
                                                        struct GC_ms_entry* /* limit */) GC_ATTR_NONNULL(3);
GC_API struct GC_ms_entry* GC_CALL GC_ms_push_all(void* /* low */, void* /* high */,
                                                  struct GC_ms_entry* /* top */,
                                                  struct GC_ms_entry* /* limit */) GC_ATTR_NONNULL(3);

/* No object lies below the one or above the other. */
GC_API void* GC_least_plausible_heap_addr;
GC_API void* GC_greatest_plausible_heap_addr;

/* GC_mark_and_push for addresses that may well lie outside the heap. Evaluates object more than once. */
#define GC_MARK_AND_PUSH(object, top, limit, source)              \
  (((GC_word)(object) < (GC_word)GC_least_plausible_heap_addr ||  \
    (GC_word)(object) > (GC_word)GC_greatest_plausible_heap_addr) \
       ? (top)                                                    \
       : GC_mark_and_push(object, top, limit, source))

/* A mask that all pointers of the program are cut by, and a number of bits that they are shifted by. There is
   none here: the first pair is ~0 and the second 0, and another value ends the program. */
GC_API void GC_CALL GC_set_pointer_mask(GC_word);
GC_API GC_word GC_CALL GC_get_pointer_mask(void);
GC_API void GC_CALL GC_set_pointer_shift(unsigned);
GC_API unsigned GC_CALL GC_get_pointer_shift(void);

/* Bytes that the functions of gc.h, section 5, put before an object; mark procedures see the object with
   them. The variable is the same, for older programs. */
GC_API size_t GC_CALL GC_get_debug_header_size(void) GC_ATTR_CONST;
GC_API size_t GC_debug_header_size GC_ATTR_DEPRECATED;
#define GC_USR_PTR_FROM_BASE(base) ((void*)((char*)(base) + GC_get_debug_header_size()))

/* ---- Descriptors ------------------------------------------------------------------------------------- */

/* The two lowest bits of a descriptor say what the others are.
     GC_DS_LENGTH      the descriptor is the number of bytes from the start that may hold pointers, a multiple
                       of 4
     GC_DS_BITMAP      a bit for each word, the highest for the first; set where there may be a pointer
     GC_DS_PROC        a mark procedure and its environment (GC_MAKE_PROC)
     GC_DS_PER_OBJECT  the descriptor proper lies in the object, so many bytes from its start; or, when the
                       number is negative, in what the object's first word points to, so many bytes and
                       GC_INDIR_PER_OBJ_BIAS from its start. It must be in the first or last two words of
                       the object, since an object may be seen before it was set up. */
#define GC_DS_TAG_BITS 2
#define GC_DS_TAGS ((1 << GC_DS_TAG_BITS) - 1)
#define GC_DS_LENGTH 0
#define GC_DS_BITMAP 1
#define GC_DS_PROC 2
#define GC_DS_PER_OBJECT 3
#define GC_INDIR_PER_OBJ_BIAS 0x10
#define GC_MAKE_PROC(number, environment) \
  ((((environment) << GC_LOG_MAX_MARK_PROCS | (number)) << GC_DS_TAG_BITS) | GC_DS_PROC)

/* ---- Kinds ------------------------------------------------------------------------------------------- */

/* The lists of free objects that a kind begins with. They are empty; the program must not use them. */
GC_API void** GC_CALL GC_new_free_list(void);
GC_API void** GC_CALL GC_new_free_list_inner(void);

/* Makes a kind and returns its number. Its objects are marked as `descriptor` says; if add_size is 1 their
   size is added to it, so that GC_DS_LENGTH with add_size means all of the object. If clear is 1 they are
   cleared when they are allocated. */
GC_API unsigned GC_CALL GC_new_kind(void** /* free_lists */, GC_word /* descriptor */, int /* add_size */,
                                    int /* clear */) GC_ATTR_NONNULL(1);
GC_API unsigned GC_CALL GC_new_kind_inner(void** /* free_lists */, GC_word /* descriptor */,
                                          int /* add_size */, int /* clear */) GC_ATTR_NONNULL(1);

/* An object of a kind: plain; with the promise of GC_malloc_ignore_off_page; living until GC_free; of a kind
   that GC_get_kind_and_size returned, but not the typed ones. Errors are those of GC_malloc. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_generic_malloc(size_t /* bytes */, int /* kind */)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_generic_malloc_ignore_off_page(size_t /* bytes */, int /* kind */)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_generic_malloc_uncollectable(size_t /* bytes */, int /* kind */)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_generic_or_special_malloc(size_t /* bytes */, int /* kind */)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_generic_or_special_malloc(size_t /* bytes */, int /* kind */,
                                                                       GC_EXTRA_PARAMS) GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_generic_malloc(size_t /* bytes */, int /* kind */,
                                                            GC_EXTRA_PARAMS) GC_ATTR_ALLOC_SIZE(1);
#ifdef GC_DEBUG
#define GC_GENERIC_MALLOC(bytes, kind) GC_debug_generic_malloc(bytes, kind, GC_EXTRAS)
#define GC_GENERIC_OR_SPECIAL_MALLOC(bytes, kind) GC_debug_generic_or_special_malloc(bytes, kind, GC_EXTRAS)
#else
#define GC_GENERIC_MALLOC(bytes, kind) GC_generic_malloc(bytes, kind)
#define GC_GENERIC_OR_SPECIAL_MALLOC(bytes, kind) GC_generic_or_special_malloc(bytes, kind)
#endif

/* The kind of the object with this first address, and, where `bytes` is not null, its size. */
GC_API int GC_CALL GC_get_kind_and_size(const void* /* object */, size_t* /* bytes */) GC_ATTR_NONNULL(1);

/* GC_init_gcj_malloc (gc_gcj.h) with the types that it means. The last argument is
   GC_GCJ_MARK_DESCR_OFFSET; another one ends the program. */
GC_API void GC_CALL GC_init_gcj_malloc_mp(unsigned /* number */, GC_mark_proc,
                                          size_t /* descriptor_offset */);

/* A function that writes what an object of a kind is, in words, into a buffer of GC_TYPE_DESCR_LEN + 1 bytes:
   for reports of leaks (gc.h, section 12) among objects with checks. Null: the kind's name. */
#define GC_TYPE_DESCR_LEN 40
typedef void(GC_CALLBACK* GC_describe_type_fn)(void* /* object */, char* /* buffer */);
GC_API void GC_CALL GC_register_describe_type_fn(int /* kind */, GC_describe_type_fn);

/* ---- Marks, with the lock held ----------------------------------------------------------------------- */

/* Whether the object with this first address is marked; marks it; takes the mark back. Every collection marks
   anew: between two, the marks are those that the last one left, and of an object that was allocated since
   the mark means nothing. */
GC_API int GC_CALL GC_is_marked(const void* /* object */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_set_mark_bit(const void* /* object */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_clear_mark_bit(const void* /* object */) GC_ATTR_NONNULL(1);

/* How many objects of the block that the address lies in are marked. */
GC_API unsigned GC_CALL GC_count_set_marks_in_hblk(const void* /* address */) GC_ATTR_NONNULL(1);

/* A function that is called, with the lock held and the program stopped, when all that is reachable was
   marked, and before links and finalizers are looked at: it may look at marks, and mark more by
   GC_mark_and_push and its like, as for ephemerons of the program's own. It is called again until it pushes
   nothing that was unmarked. It returns the top, and may not allocate. Null, as at first: none. */
typedef struct GC_ms_entry*(GC_CALLBACK* GC_on_mark_stack_empty_proc)(struct GC_ms_entry* /* top */,
                                                                      struct GC_ms_entry* /* limit */);
GC_API void GC_CALL GC_set_on_mark_stack_empty(GC_on_mark_stack_empty_proc);
GC_API GC_on_mark_stack_empty_proc GC_CALL GC_get_on_mark_stack_empty(void);

/* Calls a function, with the lock held, for every object that the last collection marked, with its first
   address, its size and the program's own argument; some that were allocated since, or are free, may be among
   them. The caller holds the lock. */
typedef void(GC_CALLBACK* GC_reachable_object_proc)(void* /* object */, size_t /* bytes */, void* /* data */);
GC_API void GC_CALL GC_enumerate_reachable_objects_inner(GC_reachable_object_proc, void* /* data */)
    GC_ATTR_NONNULL(1);

/* ---- Roots, from the push-other-roots procedure ------------------------------------------------------ */

/* A procedure that is called in every collection, with the program stopped, to name more roots with the
   functions below. One that replaces another should call that, too. Not synchronised. The variable is the
   same, for programs that declare it themselves. */
typedef void(GC_CALLBACK* GC_push_other_roots_proc)(void);
GC_API void GC_CALL GC_set_push_other_roots(GC_push_other_roots_proc);
GC_API GC_push_other_roots_proc GC_CALL GC_get_push_other_roots(void);
GC_API GC_push_other_roots_proc GC_push_other_roots;

/* Scan [low, high) in this collection: as data, as a stack (where all interior pointers count), or, the
   third, as data whatever `all` says, since nothing is known to be unchanged. Only called by that procedure.
 */
GC_API void GC_CALL GC_push_all(void* /* low */, void* /* high */);
GC_API void GC_CALL GC_push_all_eager(void* /* low */, void* /* high */);
GC_API void GC_CALL GC_push_conditional(void* /* low */, void* /* high */, int /* all */);

/* Has what lies at an address be scanned as a descriptor says. Only called by that procedure. */
GC_API void GC_CALL GC_push_obj_descr(void* /* object */, GC_word /* descriptor */);

/* Calls a function for this thread's registers and stack, up to the end that is given: for a program that
   scans its stack itself. The hint is GC_CUSTOM_PUSH_HINT_EAGER: the words change when the function returns.
   Needs no collector and takes no lock; the last argument does not matter. */
typedef void(GC_CALLBACK* GC_custom_push_proc)(void** /* low */, void** /* high */, void* /* data */,
                                               unsigned /* hint */);
#define GC_CUSTOM_PUSH_HINT_EAGER 1U
GC_API void GC_CALL GC_custom_push_regs_and_stack(GC_custom_push_proc, void* /* data */,
                                                  const struct GC_stack_base*, void* /* cold_frame */)
    GC_ATTR_NONNULL(1) GC_ATTR_NONNULL(3);

/* Names the roots that the collector's own tables of finalizers are. It does so in any case. */
GC_API void GC_CALL GC_push_finalizer_structures(void);

/* ---- Blocks, with the lock held ---------------------------------------------------------------------- */

/* The bytes of a block. All objects of one have a kind and a size; a large object has blocks of its own. */
GC_API size_t GC_CALL GC_get_hblk_size(void) GC_ATTR_CONST;

/* Call a function for each block with objects (of a large object, for the first one), and for each block
   without, with the number of the list that it is in, which is always 0 here. The function may neither
   allocate nor free. */
typedef void(GC_CALLBACK* GC_walk_hblk_fn)(struct GC_hblk_s* /* block */, void* /* data */);
typedef void(GC_CALLBACK* GC_walk_free_blk_fn)(struct GC_hblk_s* /* block */, int /* list */,
                                               void* /* data */);
GC_API void GC_CALL GC_apply_to_all_blocks(GC_walk_hblk_fn, void* /* data */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_iterate_free_hblks(GC_walk_free_blk_fn, void* /* data */) GC_ATTR_NONNULL(1);

/* If words that look like addresses were lately found to point into one of the blocks of `bytes` bytes from
   `block` on, while it held no object: the block after it, where a search for a better place goes on. Else
   null. */
GC_API struct GC_hblk_s* GC_CALL GC_is_black_listed(struct GC_hblk_s* /* block */, size_t /* bytes */);

/* ---- Others ------------------------------------------------------------------------------------------ */

/* A procedure that is called at the start of every collection, with the lock held. It may not allocate. Null:
   none. */
typedef void(GC_CALLBACK* GC_start_callback_proc)(void);
GC_API void GC_CALL GC_set_start_callback(GC_start_callback_proc);
GC_API GC_start_callback_proc GC_CALL GC_get_start_callback(void);

/* Nonzero when the address lies in the data of the program or of a library, as the last collection found it
   loaded; not in a range that was added by hand. */
GC_API int GC_CALL GC_is_tmp_root(void* /* address */);

/* Clears some of the stack beyond the caller's frame, so that old pointers there keep nothing. Returns its
   argument. */
GC_API void* GC_CALL GC_clear_stack(void*);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_MARK_H */
