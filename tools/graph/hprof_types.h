// HprofTypes: how the types of a Java heap dump's graph are numbered.
#pragma once

#include <cstdint>

#include "tools/graph/graph.h"
#include "tools/graph/hprof_classes.h"

namespace jackdaw::tools {

/// Class objects and arrays come first, then each class's instances. If types are exact, primitive arrays
/// have a type for each type of elements, and object arrays one for each class, which follows its instances'.
class HprofTypes {
 public:
  static constexpr TypeId kClass = 0;
  static constexpr std::uint8_t kFirstPrimitive =
      4;  ///< HPROF's number of boolean; the last is kLastPrimitive
  static constexpr std::uint8_t kLastPrimitive = 11;

  explicit HprofTypes(bool are_exact) : are_exact_(are_exact) {}

  [[nodiscard]] TypeId primitive_array(std::uint8_t type) const {
    return are_exact_ ? TypeId{type} - kFirstPrimitive + 1 : 1;
  }
  [[nodiscard]] TypeId instance(HprofClasses::ClassNumber number) const {
    return first_of_class() + number * types_of_class();
  }
  [[nodiscard]] TypeId object_array(HprofClasses::ClassNumber number) const {
    return are_exact_ ? instance(number) + 1 : kObjectArray;
  }
  [[nodiscard]] bool are_exact() const { return are_exact_; }

  // --- Of exact types ---

  [[nodiscard]] bool is_of_class(TypeId type) const { return type >= first_of_class(); }
  [[nodiscard]] HprofClasses::ClassNumber class_of(TypeId type) const {
    return (type - first_of_class()) / types_of_class();
  }
  [[nodiscard]] bool is_object_array(TypeId type) const {
    return is_of_class(type) && (type - first_of_class()) % types_of_class() == 1;
  }

 private:
  static constexpr TypeId kObjectArray = 2;  // where there is one type of them

  [[nodiscard]] TypeId first_of_class() const {
    return are_exact_ ? TypeId{kLastPrimitive} - kFirstPrimitive + 2 : kObjectArray + 1;
  }
  [[nodiscard]] TypeId types_of_class() const { return are_exact_ ? 2 : 1; }

  bool are_exact_;
};

}  // namespace jackdaw::tools
