// Stands in for heap/allocator.h: nothing is allocated.
#pragma once

namespace jackdaw::heap {

class Heap;

struct Allocator {
  explicit Allocator(Heap&) {}
};

}  // namespace jackdaw::heap
