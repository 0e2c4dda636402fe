// Stands in for heap/allocator.h: nothing is allocated.
#pragma once

namespace jackdaw::heap {

class FirstObjects;
class Heap;

struct Allocator {
  Allocator(Heap&, FirstObjects*) {}
};

}  // namespace jackdaw::heap
