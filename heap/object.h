// Object: an allocated object as the heap and the collector see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heap/type_descriptor.h"

namespace jackdaw::heap {

/// A header word, then the fields. Objects are aligned to kGranuleBytes.
class Object {
 public:
  /// Null in memory that holds no object.
  [[nodiscard]] const TypeDescriptor* type() const { return type_; }
  void set_type(const TypeDescriptor& type) { type_ = &type; }

  /// Word `index` of the object as a reference slot; word 0 is the header.
  [[nodiscard]] Object** slot(std::size_t index) { return reinterpret_cast<Object**>(this) + index; }
  [[nodiscard]] Object* const* slot(std::size_t index) const {
    return reinterpret_cast<Object* const*>(this) + index;
  }

  /// The length of a reference array.
  [[nodiscard]] std::uint64_t array_length() const {
    return *reinterpret_cast<const std::uint64_t*>(slot(1));
  }
  void set_array_length(std::uint64_t length) { *reinterpret_cast<std::uint64_t*>(slot(1)) = length; }
  /// Element `index` of a reference array.
  [[nodiscard]] Object** element(std::uint64_t index) { return slot(kArrayHeaderWords + index); }
  [[nodiscard]] Object* const* element(std::uint64_t index) const { return slot(kArrayHeaderWords + index); }

  static constexpr std::size_t kArrayHeaderWords = 2;

 private:
  const TypeDescriptor* type_;
};

static_assert(sizeof(Object) == kWordBytes);

}  // namespace jackdaw::heap
