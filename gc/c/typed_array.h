// Typed arrays: arrays whose elements have a layout.
//
// The layout of an array is a word where it can be. Else the array holds what its mark procedure needs, in a
// few words before the layout, which is its last word.
#pragma once

#include <cstddef>

#include "gc/c/interface.h"

namespace jackdaw::c_interface {

/// The shape of an array: the number, size and layout of its elements.
struct ArrayShape {
  std::size_t count;
  std::size_t element_bytes;  ///< whole words; count times this does not overflow
  GC_descr element;
};

/// The bytes that an array needs behind its elements, its layout not among them.
std::size_t shape_bytes(const ArrayShape& shape);

/// Writes what belongs there right before `end`, which is where the layout will lie, and returns the layout.
GC_descr set_shape(const ArrayShape& shape, GC_word* end);

}  // namespace jackdaw::c_interface
