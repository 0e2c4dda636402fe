// The data that test programs keep in the heap: linked records that carry a number each, so that a lost or
// overwritten one is noticed.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"

namespace jackdaw::gc {

/// A record: two references and a number.
class Record {
 public:
  static constexpr std::size_t kBytes = 32;
  static const heap::TypeDescriptor& type() {
    static const heap::TypeDescriptor type = heap::TypeDescriptor::offsets(kBytes, {1, 2});
    return type;
  }

  static heap::Object*& next(heap::Object* record) { return *record->slot(1); }
  static heap::Object*& other(heap::Object* record) { return *record->slot(2); }
  static std::uint64_t& number(heap::Object* record) {
    return *reinterpret_cast<std::uint64_t*>(record->slot(3));
  }
};

/// Puts a new record with `number` before the list in `list`. False when there is no memory.
inline bool prepend(Mutator& mutator, Handle& list, std::uint64_t number) {
  heap::Object* const record = mutator.allocate(Record::type());
  if (record == nullptr) return false;
  Record::number(record) = number;
  Record::next(record) = list.get();
  list = record;
  return true;
}

/// Whether a list holds exactly the numbers first + length - 1 down to first.
inline bool is_list_of(heap::Object* list, std::uint64_t first, std::uint64_t length) {
  for (std::uint64_t number = first + length; number > first; --number) {
    if (list == nullptr || list->type() != &Record::type() || Record::number(list) != number - 1)
      return false;
    list = Record::next(list);
  }
  return list == nullptr;
}

/// The type of arrays of references.
inline const heap::TypeDescriptor& array_type() {
  static const heap::TypeDescriptor type = heap::TypeDescriptor::reference_array();
  return type;
}

/// Options for a collector that collects only when it is told to.
inline CollectorOptions only_when_asked() {
  CollectorOptions options;
  options.automatic = false;
  return options;
}

}  // namespace jackdaw::gc
