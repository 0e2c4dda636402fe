// How many cache lines a marking has to read.
//
// Of every marked object these: the lines from its header to the end of its last reference, whatever the size
// of what follows. Mark bits, type descriptors and the marker's own memory are not counted: they are what a
// better marker could do without.
#pragma once

#include <cstdint>

#include "heap/heap.h"

namespace jackdaw::bench {

struct MarkedLines {
  std::uint64_t objects = 0;
  std::uint64_t visited = 0;  ///< each object's lines, summed: what is read when objects come in random order
  std::uint64_t distinct =
      0;  ///< lines that any object has a part in: what is read when they come in address order
};

/// Counts the lines of the objects that the last collection marked. The heap must not change meanwhile.
/// O(heap).
MarkedLines count_marked_lines(heap::Heap& heap);

}  // namespace jackdaw::bench
