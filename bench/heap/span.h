// Work and span of a marking: how many tasks there are, and how many of them must come one after another.
//
// Source of the terms: Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", JACM
// 1999, §2: the work T1 is what one processor does, the critical path T∞ what any number of them cannot do
// side by side.
//
// A task is the visit of one object that can hold references, or of one part of an array that is cut
// (mark/slices.h); objects of data are marked by the task that finds them. A task's parent
// is the one whose visit made it: the first to find a reference to the object, or the one that left the part
// over. Which reference is the first is a race, so the computation's graph differs from run to run. With
// workers without number, the reference at the end of the shortest way from a root wins. So a task's depth is
// defined as the number of tasks on the shortest chain from a root's task to it, both counted, and the span
// as the greatest depth. No schedule whatever needs fewer steps; a run with few workers may follow longer
// chains.
//
// The task of a whole array visits the first slice itself and leaves a part for each level of the slice tree;
// a worker that takes a part does the same with it. So a slice lies as many tasks below the array's own as
// its number has ones in binary, and what it refers to one further.
#pragma once

#include <cstdint>
#include <span>

#include "heap/object.h"

namespace jackdaw::bench {

/// Both in tasks.
struct WorkAndSpan {
  std::uint64_t objects = 0;  ///< objects reached
  std::uint64_t work = 0;     ///< T1: tasks; an object with references that is not cut is one
  std::uint64_t span = 0;     ///< T∞: most tasks on a shortest chain; 0 when nothing is reachable
};

/// Traverses what can be reached from `roots`, whose null entries are skipped, level by level and serially,
/// with marks and reading of its own. The heap must not change meanwhile. O(objects + references) time;
/// beside the marks, 8 bytes for each object of two neighbouring levels. Throws std::bad_alloc.
WorkAndSpan work_and_span(std::span<heap::Object* const> roots);

}  // namespace jackdaw::bench
