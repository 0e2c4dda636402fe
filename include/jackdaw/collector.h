// A precise collector for runtimes without a heap of their own: objects with type descriptors, threads that
// stop at safepoints, exact roots. (A runtime that has a heap includes jackdaw/marker.h.)
//
//   // A list node: header word, then one reference in word 1, then a number in word 2.
//   const auto node_type = jackdaw::TypeDescriptor::offsets(24, {1});
//
//   jackdaw::Collector collector;
//   jackdaw::Mutator mutator(collector);  // one for each thread that uses the heap
//   jackdaw::Handle list(mutator);        // a root
//   jackdaw::Object* const node = mutator.allocate(node_type);  // null: no memory, even after a collection
//
// The classes say which thread may call what, and what throws. Link jackdaw::jackdaw or jackdaw::static.
#pragma once

#if __cplusplus < 202002L
#error "Jackdaw's C++ interface needs C++20: compile with -std=c++20"
#else

#include "gc/runtime/collector.h"
#include "gc/runtime/mutator.h"
#include "heap/object.h"
#include "heap/type_descriptor.h"

namespace jackdaw {

using gc::CollectionResult;
using gc::Collector;
using gc::CollectorOptions;
using gc::Handle;
using gc::Mutator;
using heap::Object;
using heap::TypeDescriptor;

}  // namespace jackdaw

#endif
