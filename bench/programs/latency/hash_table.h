// A chained hash table with strings for keys. Each of its slots has one key in the table, which contains the
// slot and how often it was replaced. So every key that is looked up must be there.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_HASH_TABLE_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_HASH_TABLE_H

#include "structure.h"

enum { kKeyBytes = sizeof "slot 01234567 version 01234567" };

struct Entry {
  struct Entry* next;
  char* key;
  uint32_t slot;
  uint32_t version;
  uint64_t check;  // of the slot and the version
};

struct Table {
  struct Entry** buckets;
  uint32_t* versions;
  uint64_t slots;  // and buckets
};

static void write_hexadecimal(char* to, uint32_t number) {
  for (int i = 7; i >= 0; --i, number >>= 4) to[i] = "0123456789abcdef"[number & 15];
}

static void write_key(char* key, uint32_t slot, uint32_t version) {
  memcpy(key, "slot 01234567 version 01234567", kKeyBytes);
  write_hexadecimal(key + sizeof "slot", slot);
  write_hexadecimal(key + sizeof "slot 01234567 version", version);
}

static struct Entry** bucket_of_key(const struct Table* table, const char* key) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *key != '\0'; ++key) hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
  return &table->buckets[mixed(hash, 0) % table->slots];
}

static void make_table(struct Table* table, uint64_t slots) {
  table->slots = slots;
  table->buckets = new_object(slots * sizeof *table->buckets);
  table->versions = new_data(slots * sizeof *table->versions);
  memset(table->versions, 0, slots * sizeof *table->versions);
}

// Gives the entry the slot's present key, and inserts it.
static void insert_entry(struct Table* table, struct Entry* entry, uint64_t slot) {
  entry->slot = (uint32_t)slot;
  entry->version = table->versions[slot];
  entry->check = mixed(slot, entry->version);
  entry->key = new_data(kKeyBytes);
  write_key(entry->key, entry->slot, entry->version);
  struct Entry** bucket = bucket_of_key(table, entry->key);
  entry->next = *bucket;
  *bucket = entry;
}

// Returns the pointer to the entry with the slot's key.
static struct Entry** find_link(const struct Table* table, uint64_t slot) {
  char key[kKeyBytes];
  write_key(key, (uint32_t)slot, table->versions[slot]);
  struct Entry** link = bucket_of_key(table, key);
  while (*link != NULL && strcmp((*link)->key, key) != 0) link = &(*link)->next;
  if (*link == NULL) end_with(1, "the hash table has lost the key '%s'", key);
  verify("a hash table's entry", (*link)->check, mixed(slot, table->versions[slot]));
  return link;
}

static void remove_entry(struct Table* table, uint64_t slot) {
  struct Entry** link = find_link(table, slot);
  struct Entry* old = *link;
  *link = old->next;
  ++table->versions[slot];
  give_back(old->key);
  give_back(old);
}

static void* build_table(uint64_t bytes, uint64_t* random) {
  (void)random;
  struct Table* table = new_object(sizeof *table);
  make_table(table,
             parts_of(bytes, sizeof(struct Entry) + kKeyBytes + sizeof(struct Entry*) + sizeof(uint32_t)));
  for (uint64_t slot = 0; slot < table->slots; ++slot)
    insert_entry(table, new_object(sizeof(struct Entry)), slot);
  return table;
}

static void read_table(void* structure, uint64_t* random) {
  const struct Table* table = structure;
  find_link(table, next_random(random) % table->slots);
}

static void replace_in_table(void* structure, uint64_t* random) {
  struct Table* table = structure;
  const uint64_t slot = next_random(random) % table->slots;
  remove_entry(table, slot);
  insert_entry(table, new_object(sizeof(struct Entry)), slot);
}

static const struct Structure hash_table = {"hash-table", build_table, read_table, replace_in_table};

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_HASH_TABLE_H
