/*
 * gc_tiny_fl.h: sizes of objects, in granules, and of the arrays of lists that gc_inline.h takes.
 */
#ifndef GC_TINY_FL_H
#define GC_TINY_FL_H

/* Objects are so many granules long. */
#define GC_GRANULE_BYTES 16
#define GC_GRANULE_WORDS 2
#define GC_WORDS_TO_GRANULES(words) ((words) / GC_GRANULE_WORDS)
#define GC_WORDS_TO_WHOLE_GRANULES(words) GC_WORDS_TO_GRANULES((words) + GC_GRANULE_WORDS - 1)
#define GC_RAW_BYTES_FROM_INDEX(granules) ((granules)*GC_GRANULE_BYTES)

/* A pointer is a word. */
#define GC_GRANULE_PTRS GC_GRANULE_WORDS
#define GC_PTRS_TO_GRANULES(pointers) GC_WORDS_TO_GRANULES(pointers)
#define GC_PTRS_TO_WHOLE_GRANULES(pointers) GC_WORDS_TO_WHOLE_GRANULES(pointers)

/* The elements of an array of free lists, one for each number of granules. */
#define GC_TINY_FREELISTS 25

#endif /* GC_TINY_FL_H */
