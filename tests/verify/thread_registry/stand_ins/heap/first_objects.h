// Stands in for heap/first_objects.h: nothing is allocated.
#pragma once

namespace jackdaw::heap {

class Heap;

struct FirstObjects {
  explicit FirstObjects(Heap&) {}
};

}  // namespace jackdaw::heap
