// MarkedLines: the number of cache lines that a marking has to read.
//
// For every marked object these are the lines from its header to the end of its last reference. Mark bits,
// type descriptors and the marker's own memory do not count: a better marker could avoid them.
#pragma once

#include <cstdint>

#include "heap/heap.h"

namespace jackdaw::bench {

struct MarkedLines {
  std::uint64_t objects = 0;
  std::uint64_t visited = 0;  ///< each object's lines, summed: read if objects come in random order
  std::uint64_t distinct =
      0;  ///< lines that any object has a part in: what is read when they come in address order
};

/// Counts the lines of the objects that the last collection marked. The heap must not change meanwhile.
/// O(heap).
MarkedLines count_marked_lines(heap::Heap& heap);

}  // namespace jackdaw::bench
