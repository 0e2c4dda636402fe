// Long bitmaps: layouts of objects that take more bits than a word has. The layout is a mark procedure with
// the address of the bits, which are never freed.
#pragma once

#include <cstddef>

#include "gc/c/interface.h"

namespace jackdaw::c_interface {

/// The layout of objects of which word i may be a pointer where bit i of the bitmap is set; nothing that is
/// an address in them lies beyond. An object that has it is not shorter. When there is no memory: a layout by
/// which all words up to there may be pointers.
GC_descr make_long_bitmap(const GC_word* bitmap, std::size_t bits);

}  // namespace jackdaw::c_interface
