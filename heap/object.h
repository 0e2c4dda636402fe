// Object: an allocated object as the heap and the collector see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/type_descriptor.h"
#include "heap/word.h"

namespace jackdaw::heap {

/// A header word, then the fields. Objects are aligned to kGranuleBytes. The collector also accesses them as
/// words, and the program as types of its own (heap/word.h), so accesses to them alias all others.
class [[gnu::may_alias]] Object {
 public:
  /// A reference that lies in an object.
  using Slot [[gnu::may_alias]] = Object*;

  /// Returns the object's type; null in memory that holds no object.
  [[nodiscard]] const TypeDescriptor* type() const { return type_; }
  void set_type(const TypeDescriptor& type) { type_ = &type; }

  /// Returns word `index` of the object as a reference slot; word 0 is the header.
  [[nodiscard]] Slot* slot(std::size_t index) { return reinterpret_cast<Slot*>(this) + index; }
  [[nodiscard]] const Slot* slot(std::size_t index) const {
    return reinterpret_cast<const Slot*>(this) + index;
  }

  /// Returns the length of a reference array.
  [[nodiscard]] std::uint64_t array_length() const { return words_at(this)[1].bits; }
  void set_array_length(std::uint64_t length) { words_at(this)[1].bits = length; }
  /// Returns element `index` of a reference array.
  [[nodiscard]] Slot* element(std::uint64_t index) { return slot(kArrayHeaderWords + index); }
  [[nodiscard]] const Slot* element(std::uint64_t index) const { return slot(kArrayHeaderWords + index); }

  static constexpr std::size_t kArrayHeaderWords = 2;

 private:
  const TypeDescriptor* type_;
};

static_assert(sizeof(Object) == kWordBytes);

}  // namespace jackdaw::heap
