// EphemeronTable: the ephemerons whose keys are not marked yet, by key.
//
// An ephemeron is a pair of objects whose value is reachable when its key is. A marking that examines all
// ephemerons again whenever a key may have been marked takes quadratic time; one that finds the values of a
// key when the key is marked takes linear time. For that, this is a multimap from keys to values. (Hayes,
// "Ephemerons: a New Finalization Mechanism", OOPSLA 1997.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/page_vector.h"
#include "gc/weak/address_table.h"
#include "heap/object.h"

namespace jackdaw::gc {

/// One thread inserts or clears, while no other uses the table; any number of mark threads look up keys in
/// between. Its memory comes from the system, and is no root.
class EphemeronTable {
 public:
  /// Adds a pair. A key may have many values, and one value more than once. Amortised O(1). False when there
  /// is no memory, with nothing changed.
  [[nodiscard]] bool insert(const heap::Object* key, heap::Object* value);

  /// Calls `function(Object*)` for each value of `key`, the last inserted first. O(values).
  template <typename Function>
  void for_each_value_of(const heap::Object* key, Function function) const {
    const std::uint64_t* const first = first_pairs_.find(address_of(key));
    if (first == nullptr) return;
    for (std::uint64_t pair = *first; pair != kNone; pair = pairs_[pair - 1].next) {
      JACKDAW_CHECK(pairs_[pair - 1].next < pair);  // so that the list ends
      function(pairs_[pair - 1].value);
    }
  }

  /// Returns the number of pairs.
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }
  /// Removes all pairs and keeps the memory. O(the most keys that there ever were).
  void clear();

 private:
  // Pairs are numbered from 1.
  static constexpr std::uint64_t kNone = 0;
  struct Pair {
    heap::Object* value;
    std::uint64_t next;  // pair of the same key
  };

  static std::uintptr_t address_of(const heap::Object* key) { return reinterpret_cast<std::uintptr_t>(key); }

  AddressTable<std::uint64_t> first_pairs_;
  base::PageVector<Pair> pairs_;
};

}  // namespace jackdaw::gc
