// Structure: the interface of the structures that the program keeps alive, which check that none of their
// objects was lost or overwritten.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_STRUCTURE_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_STRUCTURE_H

#include "memory.h"
#include "watch.h"

// A structure belongs to one thread, whose random numbers all its functions use.
struct Structure {
  const char* name;
  // Makes a structure that takes `bytes`, or a few more.
  void* (*build)(uint64_t bytes, uint64_t* random);
  // Follows references at random and checks the objects on the way, for a microsecond or so.
  void (*read)(void* structure, uint64_t* random);
  // Replaces an old part by a new one; the old one becomes garbage.
  void (*replace)(void* structure, uint64_t* random);
};

// Returns the check word of two numbers.
static inline uint64_t mixed(uint64_t first, uint64_t second) {
  uint64_t bits = (first ^ (second * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 31)) * UINT64_C(0x94d049bb133111eb);
  return bits ^ (bits >> 29);
}

static inline void verify(const char* what, uint64_t found, uint64_t right) {
  if (found == right) return;
  end_with(1, "%s was lost or overwritten: %016" PRIx64 " where %016" PRIx64 " belongs", what, found, right);
}

// Returns how many parts of `bytes_each` make up `bytes`; at least two.
static inline uint64_t parts_of(uint64_t bytes, uint64_t bytes_each) {
  return bytes > 2 * bytes_each ? bytes / bytes_each : 2;
}

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_STRUCTURE_H
