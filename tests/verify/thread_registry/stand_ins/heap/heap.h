// Stands in for heap/heap.h.
#pragma once

namespace jackdaw::heap {

class Heap {};

}  // namespace jackdaw::heap
