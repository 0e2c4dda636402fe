/*
 * gc_typed.h: objects whose layout the collector is told, so that only some of their words count as pointers.
 *
 * A program describes each type once and allocates objects with the description:
 *
 *   GC_word map[GC_BITMAP_SIZE(struct node)] = {0};
 *   GC_set_bit(map, GC_WORD_OFFSET(struct node, next));
 *   GC_descr node_layout = GC_make_descriptor(map, GC_WORD_LEN(struct node));
 *   struct node *n = (struct node *)GC_malloc_explicitly_typed(sizeof(struct node), node_layout);
 */
#ifndef GC_TYPED_H
#define GC_TYPED_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bit for each word of an object, set where there may be a pointer; word 0 is the lowest bit of the first
   element. */
typedef GC_word* GC_bitmap;

/* Bits of a word, and reading and setting bit `index` of a bitmap. */
#define GC_WORDSZ (8 * sizeof(GC_word))
#define GC_get_bit(bitmap, index) (((bitmap)[(index) / GC_WORDSZ] >> ((index) % GC_WORDSZ)) & 1)
#define GC_set_bit(bitmap, index) ((bitmap)[(index) / GC_WORDSZ] |= (GC_word)1 << ((index) % GC_WORDSZ))

/* The word of a type that a field is, the words of a type, and the elements that its bitmap needs. */
#define GC_WORD_OFFSET(type, field) (offsetof(type, field) / sizeof(GC_word))
#define GC_WORD_LEN(type) (sizeof(type) / sizeof(GC_word))
#define GC_OFFSETOF_IN_PTRS(type, field) GC_WORD_OFFSET(type, field)
#define GC_SIZEOF_IN_PTRS(type) GC_WORD_LEN(type)
#define GC_BITMAP_SIZE(type) ((GC_WORD_LEN(type) + GC_WORDSZ - 1) / GC_WORDSZ)

/* A layout. */
typedef GC_word GC_descr;

/* Describes objects by the first `bits` bits of a bitmap; words of an object beyond that hold no pointers. It
   is never freed. When memory for it runs out the layout says that all words may be pointers. */
GC_API GC_descr GC_CALL GC_make_descriptor(const GC_word* /* bitmap */, size_t /* bits */);

/* An object of a layout, cleared and not shorter than its bitmap; the second with the promise of
   GC_malloc_ignore_off_page. It must not be given to GC_realloc. Errors are those of GC_malloc. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_explicitly_typed(size_t /* bytes */, GC_descr)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_explicitly_typed_ignore_off_page(size_t /* bytes */, GC_descr)
    GC_ATTR_ALLOC_SIZE(1);

/* An array whose elements have a layout; their size is a multiple of a word. Cleared. A product that
   overflows is memory that cannot be had. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_calloc_explicitly_typed(size_t /* count */, size_t /* element_bytes */,
                                                               GC_descr) GC_ATTR_CALLOC_SIZE(1, 2);

/* The same in two steps, for many arrays that are alike. The first fills in what the second needs and returns
   1, or 0 when the product overflows, for which the second then fails. `structure_bytes` is the size of the
   structure, which may be thrown away at any time. */
#define GC_CALLOC_TYPED_DESCR_PTRS 1
#define GC_CALLOC_TYPED_DESCR_WORDS 8
struct GC_calloc_typed_descr_s {
  GC_uintptr_t opaque_p[GC_CALLOC_TYPED_DESCR_PTRS];
  GC_word opaque[GC_CALLOC_TYPED_DESCR_WORDS - GC_CALLOC_TYPED_DESCR_PTRS];
};
GC_API int GC_CALL GC_calloc_prepare_explicitly_typed(struct GC_calloc_typed_descr_s*,
                                                      size_t /* structure_bytes */, size_t /* count */,
                                                      size_t /* element_bytes */, GC_descr)
    GC_ATTR_NONNULL(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_calloc_do_explicitly_typed(const struct GC_calloc_typed_descr_s*,
                                                                  size_t /* structure_bytes */)
    GC_ATTR_NONNULL(1);

/* With GC_DEBUG, objects with checks, which are scanned as a whole. */
#ifdef GC_DEBUG
#define GC_MALLOC_EXPLICITLY_TYPED(bytes, layout) ((void)(layout), GC_MALLOC(bytes))
#define GC_CALLOC_EXPLICITLY_TYPED(count, bytes, layout) ((void)(layout), GC_MALLOC((count) * (bytes)))
#define GC_MALLOC_EXPLICITLY_TYPED_IGNORE_OFF_PAGE(bytes, layout) GC_MALLOC_EXPLICITLY_TYPED(bytes, layout)
#else
#define GC_MALLOC_EXPLICITLY_TYPED(bytes, layout) GC_malloc_explicitly_typed(bytes, layout)
#define GC_CALLOC_EXPLICITLY_TYPED(count, bytes, layout) GC_calloc_explicitly_typed(count, bytes, layout)
#define GC_MALLOC_EXPLICITLY_TYPED_IGNORE_OFF_PAGE(bytes, layout) \
  GC_malloc_explicitly_typed_ignore_off_page(bytes, layout)
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_TYPED_H */
