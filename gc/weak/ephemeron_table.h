// EphemeronTable: the ephemerons whose keys are not marked yet, by key.
//
// An ephemeron is a pair of objects: the value is reachable when the key is. A marking that looks at all
// ephemerons again whenever a key may have been marked takes quadratic time; one that finds the values of a
// key at the moment when it is marked takes linear time. That is what this table is for: a multimap from keys
// to values. (Hayes, "Ephemerons: a New Finalization Mechanism", OOPSLA 1997.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/page_vector.h"
#include "gc/weak/address_table.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One thread inserts or clears, while nobody else uses the table; any number of mark threads look keys up in
/// between. Its memory comes from the system, and is no root.
class EphemeronTable {
 public:
  /// Adds a pair. A key may have many values, the same one more than once. Amortised O(1). False when there
  /// is no memory, with nothing changed.
  [[nodiscard]] bool insert(const heap::Object* key, heap::Object* value);

  /// Calls `function(Object*)` for each value of `key`, the last inserted first. O(1) and the calls.
  template <typename Function>
  void for_each_value_of(const heap::Object* key, Function function) const {
    const std::uint64_t* const first = first_pairs_.find(address_of(key));
    if (first == nullptr) return;
    for (std::uint64_t pair = *first; pair != kNone; pair = pairs_[pair - 1].next) {
      JACKDAW_CHECK(pairs_[pair - 1].next < pair);  // so that the list ends
      function(pairs_[pair - 1].value);
    }
  }

  /// Pairs in the table.
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }
  /// Removes all pairs and keeps the memory. O(the most keys that there ever were).
  void clear();

 private:
  // Pairs are numbered from 1.
  static constexpr std::uint64_t kNone = 0;
  struct Pair {
    heap::Object* value;
    std::uint64_t next;  // of the same key
  };

  static std::uintptr_t address_of(const heap::Object* key) { return reinterpret_cast<std::uintptr_t>(key); }

  AddressTable<std::uint64_t> first_pairs_;
  base::PageVector<Pair> pairs_;
};

}  // namespace jackdaw::gc
