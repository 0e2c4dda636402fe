// Where the program's data comes from: the collector of <gc.h>, or mimalloc, to which the program itself
// gives back what it drops. Everything that the program keeps is found from `shares` (share.h).
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_MEMORY_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_MEMORY_H

#ifdef ALLOCATE_WITH_MIMALLOC
#include <mimalloc.h>
#else
#define GC_THREADS
#include <gc.h>
#endif

#include "../program.h"

// Bytes that the thread has allocated so far.
static _Thread_local uint64_t allocated_bytes;

static inline void* counted(void* object, size_t bytes) {
  if (object == NULL) end_with(1, "out of memory");
  allocated_bytes += bytes;
  return object;
}

#ifdef ALLOCATE_WITH_MIMALLOC
enum { kFreesByHand = 1 };
static inline void* new_object(size_t bytes) { return counted(mi_zalloc(bytes), bytes); }
static inline void* new_data(size_t bytes) { return counted(mi_malloc(bytes), bytes); }
static inline void give_back(void* object) { mi_free(object); }
#else
enum { kFreesByHand = 0 };
// Cleared, and searched for pointers.
static inline void* new_object(size_t bytes) { return counted(GC_MALLOC(bytes), bytes); }
// Neither: for data alone.
static inline void* new_data(size_t bytes) { return counted(GC_MALLOC_ATOMIC(bytes), bytes); }
static inline void give_back(void* object) { (void)object; }
#endif

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_MEMORY_H
