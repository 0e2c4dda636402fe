// Ephemeron: a pair of references, a key that keeps nothing, and a value that is kept as long as something
// else keeps the key's object.
//
// So data can be attached to an object from outside: in a cache, or under a key of a WeakMap
// (gc/cpp/weak_map.h). The value may refer back to the key.
#pragma once

#include <type_traits>

#include "gc/weak/ephemerons.h"

namespace jackdaw {

class Visitor;

/// Lies in a collected object, which reports it. When the collector finds the key's object dead, both
/// references become null, and the value's object may die. Key and Value are GarbageCollected types or
/// mixins.
template <typename Key, typename Value>
class Ephemeron {
 public:
  Ephemeron() = default;
  Ephemeron(Key* key, Value* value) { set(key, value); }

  [[nodiscard]] Key* key() const { return static_cast<Key*>(slots_.key); }
  [[nodiscard]] Value* value() const { return static_cast<Value*>(slots_.value); }
  /// Replaces the pair. With a null key, it refers to nothing.
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
