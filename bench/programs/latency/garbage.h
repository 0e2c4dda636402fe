// Short-lived objects: the last few hundred of a thread, in short chains. Every other one is data only.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_GARBAGE_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_GARBAGE_H

#include "structure.h"

enum { kRecent = 256, kNumbersOfChain = 8, kLeastShortLived = 32, kShortLivedSizes = 16 };

struct ShortLived {
  struct ShortLived* previous;  // NULL at the end of a chain
  uint64_t number;
  uint64_t bytes;
  uint64_t check;
  uint64_t rest[];
};

struct Garbage {
  struct ShortLived* recent[kRecent];
  uint64_t made;
};

static uint64_t check_of(const struct ShortLived* object) {
  uint64_t sum = object->number;
  for (uint64_t i = 0; i < (object->bytes - sizeof *object) / sizeof *object->rest; ++i)
    sum += object->rest[i];
  return mixed(sum, object->bytes);
}

static struct ShortLived* new_short_lived(uint64_t number, uint64_t* random) {
  const size_t bytes = kLeastShortLived + 16 * (next_random(random) % kShortLivedSizes);
  struct ShortLived* object = number % 2 == 0 ? new_object(bytes) : new_data(bytes);
  object->previous = NULL;  // data is not cleared
  object->number = number;
  object->bytes = bytes;
  for (uint64_t i = 0; i < (bytes - sizeof *object) / sizeof *object->rest; ++i) object->rest[i] = number + i;
  object->check = check_of(object);
  return object;
}

// Makes one object, and drops the oldest.
static void make_garbage(struct Garbage* garbage, uint64_t* random) {
  struct ShortLived* object = new_short_lived(garbage->made, random);
  if (garbage->made % 2 == 0 && garbage->made % kNumbersOfChain != 0)
    object->previous = garbage->recent[(garbage->made - 2) % kRecent];
  struct ShortLived** place = &garbage->recent[garbage->made % kRecent];
  if (*place != NULL) {
    verify("a short-lived object", check_of(*place), (*place)->check);
    give_back(*place);
  }
  *place = object;
  ++garbage->made;
}

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_GARBAGE_H
