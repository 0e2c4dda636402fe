#include "gc/weak/ephemeron_table.h"

namespace jackdaw::gc {

bool EphemeronTable::insert(const heap::Object* key, heap::Object* value) {
  const auto [first, is_new] = first_pairs_.insert(address_of(key));
  if (first == nullptr) return false;
  if (!pairs_.append({value, *first})) {
    if (is_new) first_pairs_.erase(address_of(key));
    return false;
  }
  *first = pairs_.size();
  return true;
}

void EphemeronTable::clear() {
  first_pairs_.clear();
  pairs_.clear();
}

}  // namespace jackdaw::gc
