// Ephemeron: a pair of references of which the first keeps nothing, and the second keeps its object as long
// as the first one's object is kept by something else.
//
// So what is known about an object can be held beside it: in a cache, or under a key of a WeakMap
// (gc/cpp/weak_map.h). It does not matter if the value refers back to the key.
#pragma once

#include <type_traits>

#include "gc/weak/ephemerons.h"

namespace jackdaw {

class Visitor;

/// Lies in a collected object, which reports it. When the collector finds the key's object dead, both become
/// null; the value's object lives no longer than that by this reference. Key and Value are GarbageCollected
/// types or mixins.
template <typename Key, typename Value>
class Ephemeron {
 public:
  Ephemeron() = default;
  Ephemeron(Key* key, Value* value) { set(key, value); }

  [[nodiscard]] Key* key() const { return static_cast<Key*>(slots_.key); }
  [[nodiscard]] Value* value() const { return static_cast<Value*>(slots_.value); }
  /// Refers to another pair; a null key to none.
  void set(Key* key, Value* value) {
    slots_.key = const_cast<std::remove_const_t<Key>*>(key);
    slots_.value = key == nullptr ? nullptr : const_cast<std::remove_const_t<Value>*>(value);
  }
  void clear() { slots_ = {}; }

 private:
  friend class Visitor;

  gc::EphemeronSlots slots_;
};

}  // namespace jackdaw
