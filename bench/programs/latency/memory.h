// The source of the program's memory: the collector of <gc.h>, or mimalloc, to which the program itself
// returns what it drops. Everything that the program keeps is reachable from `shares` (share.h).
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_MEMORY_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_MEMORY_H

#ifdef ALLOCATE_WITH_MIMALLOC
#include <mimalloc.h>
#else
#define GC_THREADS
#include <gc.h>
#endif

#include "../program.h"

// The bytes that the thread has allocated so far.
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
// Returns memory that is cleared, and scanned for pointers.
static inline void* new_object(size_t bytes) { return counted(GC_MALLOC(bytes), bytes); }
// Returns memory that is neither: for data only.
static inline void* new_data(size_t bytes) { return counted(GC_MALLOC_ATOMIC(bytes), bytes); }
static inline void give_back(void* object) { (void)object; }
#endif

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_MEMORY_H
