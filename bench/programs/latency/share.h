// Share: the structures of one thread, and its operations on them. The times at which operations are due are
// fixed beforehand, so that the wait of those that become due in a stall is measured, too.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_SHARE_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_SHARE_H

#include "garbage.h"
#include "hash_table.h"
#include "list_of_buffers.h"
#include "lru_cache.h"
#include "tree.h"

enum { kKinds = 4, kMostThreads = 256, kReadsOfOperation = 4 };

static const struct Structure* const kinds[kKinds] = {&list_of_buffers, &trees, &hash_table, &lru_cache};

// The work of an operation, equal for all threads.
struct Work {
  uint64_t first_kind;  // of the kinds that the program keeps
  uint64_t kind_count;
  double replaced_bytes;   // of each kind
  double allocated_bytes;  // in all
};

struct Share {
  void* structures[kKinds];
  uint64_t replaced_bytes[kKinds];
  struct Garbage garbage;
  uint64_t live_bytes;
  uint64_t random;
};

static struct Share shares[kMostThreads];

static void build_share(struct Share* share, const struct Work* work, uint64_t bytes) {
  const uint64_t before = allocated_bytes;
  for (uint64_t i = work->first_kind; i < work->first_kind + work->kind_count; ++i)
    share->structures[i] = kinds[i]->build(bytes / work->kind_count, &share->random);
  share->live_bytes = allocated_bytes - before;
}

static void read_somewhere(struct Share* share, const struct Work* work) {
  const uint64_t kind = work->first_kind + (next_random(&share->random) >> 32) % work->kind_count;
  kinds[kind]->read(share->structures[kind], &share->random);
}

static void replace_until(struct Share* share, uint64_t kind, uint64_t bytes) {
  while (share->replaced_bytes[kind] < bytes) {
    const uint64_t before = allocated_bytes;
    kinds[kind]->replace(share->structures[kind], &share->random);
    share->replaced_bytes[kind] += allocated_bytes - before;
    watch_clock();
  }
}

// Reads, then replaces parts and makes garbage until the totals are those due by the end of the thread's
// operation `number`, counted from 0. `first_byte` is the thread's count of allocated bytes before the first
// operation.
static void operate(struct Share* share, const struct Work* work, uint64_t number, uint64_t first_byte) {
  const double done = (double)number + 1;
  for (int i = 0; i < kReadsOfOperation; ++i) {
    read_somewhere(share, work);
    watch_clock();
  }
  for (uint64_t i = work->first_kind; i < work->first_kind + work->kind_count; ++i)
    replace_until(share, i, (uint64_t)(done * work->replaced_bytes));
  while (allocated_bytes - first_byte < (uint64_t)(done * work->allocated_bytes)) {
    make_garbage(&share->garbage, &share->random);
    watch_clock();
  }
}

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_SHARE_H
