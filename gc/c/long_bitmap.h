// Long bitmaps: layouts whose bits do not fit into a word. Such a layout is a mark procedure with the address
// of the bits, which are never freed.
#pragma once

#include <cstddef>

#include "gc/c/interface.h"

namespace jackdaw::c_interface {

/// Returns the layout of objects whose word i may be a pointer where bit i of the bitmap is set, and no word
/// beyond it. Objects with it must be at least that long. When there is no memory, the layout says that all
/// words up to there may be pointers.
GC_descr make_long_bitmap(const GC_word* bitmap, std::size_t bits);

}  // namespace jackdaw::c_interface
