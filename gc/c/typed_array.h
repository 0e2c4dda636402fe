// Typed arrays: arrays whose elements have a layout.
//
// The layout of an array is one word where possible. Otherwise the array holds its shape, for its mark
// procedure, in a few words before the layout, which is the last word.
#pragma once

#include <cstddef>

#include "gc/c/interface.h"

namespace jackdaw::c_interface {

/// The shape of an array: the number, size and layout of its elements.
struct ArrayShape {
  std::size_t count;
  std::size_t element_bytes;  ///< a multiple of a word; count times this does not overflow
  GC_descr element;
};

/// Returns the bytes that an array needs behind its elements, besides its layout.
std::size_t shape_bytes(const ArrayShape& shape);

/// Writes the shape right before `end`, where the layout will lie, and returns the layout.
GC_descr set_shape(const ArrayShape& shape, GC_word* end);

}  // namespace jackdaw::c_interface
