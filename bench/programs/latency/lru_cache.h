// A cache of the most recently used entries: a hash table whose entries are also in a list, the newest first.
// A look-up moves the entry to the front, which writes pointers and allocates nothing; a new entry takes the
// slot of the oldest.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_LRU_CACHE_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_LRU_CACHE_H

#include "hash_table.h"

struct CacheEntry {
  struct Entry entry;
  struct CacheEntry* newer;  // in a ring, where `ends` is newer than the newest and older than the oldest
  struct CacheEntry* older;
};

struct Cache {
  struct Table table;
  struct CacheEntry* ends;
};

static void link_in_front(struct Cache* cache, struct CacheEntry* entry) {
  entry->newer = cache->ends;
  entry->older = cache->ends->older;
  entry->older->newer = entry;
  cache->ends->older = entry;
}

static void unlink_entry(struct CacheEntry* entry) {
  entry->newer->older = entry->older;
  entry->older->newer = entry->newer;
}

static void insert_newest(struct Cache* cache, uint64_t slot) {
  struct CacheEntry* entry = new_object(sizeof *entry);
  insert_entry(&cache->table, &entry->entry, slot);
  link_in_front(cache, entry);
}

static void* build_cache(uint64_t bytes, uint64_t* random) {
  (void)random;
  struct Cache* cache = new_object(sizeof *cache);
  make_table(&cache->table, parts_of(bytes, sizeof(struct CacheEntry) + kKeyBytes + sizeof(struct Entry*) +
                                                sizeof(uint32_t)));
  cache->ends = new_object(sizeof *cache->ends);
  cache->ends->newer = cache->ends->older = cache->ends;
  for (uint64_t slot = 0; slot < cache->table.slots; ++slot) insert_newest(cache, slot);
  return cache;
}

static void read_cache(void* structure, uint64_t* random) {
  struct Cache* cache = structure;
  struct CacheEntry* entry =
      (struct CacheEntry*)*find_link(&cache->table, next_random(random) % cache->table.slots);
  unlink_entry(entry);
  link_in_front(cache, entry);
}

static void replace_in_cache(void* structure, uint64_t* random) {
  (void)random;
  struct Cache* cache = structure;
  struct CacheEntry* oldest = cache->ends->newer;
  const uint64_t slot = oldest->entry.slot;
  unlink_entry(oldest);
  remove_entry(&cache->table, slot);
  insert_newest(cache, slot);
}

static const struct Structure lru_cache = {"lru-cache", build_cache, read_cache, replace_in_cache};

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_LRU_CACHE_H
