// The requirements of Jackdaw's marking engine (jackdaw/marker.h) on a heap: a class that says where an
// object's mark is and what the object refers to. The compiler checks them as concepts; mark/object_model.h
// defines them and what each function must do.
#pragma once

#if __cplusplus < 202002L
#error "Jackdaw's C++ interface needs C++20: compile with -std=c++20"
#else

#include "base/prefetch.h"
#include "mark/object_model.h"
#include "mark/slices.h"

namespace jackdaw {

/// The least that a heap must offer.
using mark::ObjectModel;

/// The argument and the result of an ObjectModel's mark().
using mark::MarkOutcome;
using mark::Sharing;

/// Optional abilities of a heap: regions in which one worker marks without atomic accesses; tasks that are
/// parts of big objects; memory nodes; references that are found in two steps.
using mark::BiasedObjectModel;
using mark::CandidateObjectModel;
using mark::CandidateSink;
using mark::PlacedObjectModel;
using mark::SlicingObjectModel;

/// How a big array is cut into tasks that several workers can share.
using mark::Slices;

/// These are for a model's prefetch functions.
using base::prefetch_to_read;
using base::prefetch_to_write;

}  // namespace jackdaw

#endif
