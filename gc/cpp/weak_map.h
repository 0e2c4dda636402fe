// WeakMap: a hash table from objects to objects that keeps no key alive, and each value as long as something
// else keeps its key alive.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "gc/cpp/containers.h"
#include "gc/cpp/ephemeron.h"
#include "gc/cpp/garbage_collected.h"
#include "gc/cpp/make_garbage_collected.h"
#include "gc/cpp/member.h"
#include "gc/cpp/visitor.h"

namespace jackdaw {

/// Lies in a collected object, which reports it, or on a stack. Key and Value are GarbageCollected types or
/// mixins; keys are compared by address. No function here sees entries of dead keys; their memory is freed
/// when the table changes next at their place. Threads that share one must synchronise.
template <typename Key, typename Value>
class WeakMap {
 public:
  /// Returns the value of a key, or null. O(1) on average.
  [[nodiscard]] Value* find(const Key* key) const {
    if (buckets_->empty()) return nullptr;
    for (const Entry* entry = (*buckets_)[bucket_of(key)]; entry != nullptr; entry = entry->next) {
      if (entry->pair.key() == key) return entry->pair.value();
    }
    return nullptr;
  }

  /// Sets the value of a key; neither is null. Amortised O(1). Throws std::bad_alloc, with nothing changed.
  void set(Key* key, Value* value) {
    if (Entry* const entry = find_entry(key)) {
      entry->pair.set(key, value);
      return;
    }
    if (entries_ >= buckets_->size()) grow();
    Member<Entry>& bucket = (*buckets_)[bucket_of(key)];
    bucket = MakeGarbageCollected<Entry>(key, value, bucket.get());
    ++entries_;
  }

  /// Erases a key and returns whether it was there. O(1) on average.
  bool erase(const Key* key) {
    Entry* const entry = find_entry(key);
    if (entry == nullptr) return false;
    entry->pair.clear();
    remove_dead_from((*buckets_)[bucket_of(key)]);
    return true;
  }

  /// Calls `function(Key&, Value&)` for each entry, in no order. `function` must not add entries. O(table).
  template <typename Function>
  void for_each(Function function) const {
    for (const Member<Entry>& bucket : *buckets_) {
      for (const Entry* entry = bucket; entry != nullptr; entry = entry->next) {
        // The pointers on the stack keep both alive from here on.
        Key* const key = entry->pair.key();
        Value* const value = entry->pair.value();
        if (key != nullptr && value != nullptr) function(*key, *value);
      }
    }
  }

  void Trace(Visitor* visitor) const { visitor->Trace(buckets_); }

 private:
  struct Entry : GarbageCollected<Entry> {
    Entry(Key* key, Value* value, Entry* next_entry) : pair(key, value), next(next_entry) {}
    void Trace(Visitor* visitor) const {
      visitor->Trace(pair);
      visitor->Trace(next);
    }
    Ephemeron<Key, Value> pair;
    Member<Entry> next;
  };
  using Buckets = HeapVector<Member<Entry>>;

  static constexpr std::size_t kFirstBuckets = 8;

  // The bucket is given by the high bits of the address times 2^64 over the golden ratio, which spreads
  // neighbours.
  static std::size_t bucket_in(const Buckets& buckets, const Key* key) {
    return (reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15) >>
           (64 - std::countr_zero(buckets->size()));
  }
  [[nodiscard]] std::size_t bucket_of(const Key* key) const { return bucket_in(buckets_, key); }

  // Finds the entry of a key, and removes dead entries on its way.
  Entry* find_entry(const Key* key) {
    if (buckets_->empty()) return nullptr;
    Member<Entry>& bucket = (*buckets_)[bucket_of(key)];
    remove_dead_from(bucket);
    Entry* entry = bucket;
    while (entry != nullptr && entry->pair.key() != key) entry = entry->next;
    return entry;
  }

  void remove_dead_from(Member<Entry>& bucket) {
    for (Member<Entry>* place = &bucket; *place != nullptr;) {
      Entry* const entry = *place;
      if (entry->pair.key() != nullptr) {
        place = &entry->next;
      } else {
        *place = entry->next;
        --entries_;
      }
    }
  }

  // Drops dead entries first, so that a table whose keys come and go does not grow.
  void grow() {
    for (Member<Entry>& bucket : *buckets_) remove_dead_from(bucket);
    if (2 * entries_ < buckets_->size()) return;
    Buckets buckets(std::max(kFirstBuckets, 2 * buckets_->size()));
    for (const Member<Entry>& bucket : *buckets_) {
      for (Entry* entry = bucket; entry != nullptr;) {
        Entry* const next = entry->next;
        // An entry whose key has died since may go to any bucket.
        Member<Entry>& place = (*buckets)[bucket_in(buckets, entry->pair.key())];
        entry->next = place;
        place = entry;
        entry = next;
      }
    }
    buckets_ = std::move(buckets);
  }

  Buckets buckets_;          // 0 or a power of two of them
  std::size_t entries_ = 0;  // including dead ones that are not removed yet
};

}  // namespace jackdaw
