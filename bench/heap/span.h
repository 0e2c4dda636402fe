// Span: the work and span of a marking: its number of tasks, and how many of them must follow one another.
//
// Source of the terms: Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", JACM
// 1999, §2: the work T1 is the time of one processor, the critical path T∞ that of any number of them.
//
// A task is the visit of one object that can hold references, or of one part of an array that is cut
// (mark/slices.h); the task that finds a data object marks it. A task's parent is the one whose visit made
// it, by finding the first reference to the object or by leaving the part over. Which reference is first is a
// race, so the computation's graph differs from run to run; with unlimited workers, the one at the end of the
// shortest way from a root wins. So a task's depth is defined as the number of tasks on the shortest chain
// from a root's task to it, both counted, and the span as the greatest depth. No schedule needs fewer steps;
// a run with few workers may follow longer chains.
//
// The task of a whole array visits the first slice and leaves a part for each level of the slice tree; a
// worker that takes a part does the same with it. So a slice lies as many tasks below the array's own as its
// number has ones in binary, and the objects it refers to one further.
#pragma once

#include <cstdint>
#include <span>

#include "heap/object.h"

namespace jackdaw::bench {

/// Work and span, in tasks.
struct WorkAndSpan {
  std::uint64_t objects = 0;  ///< objects reached
  std::uint64_t work = 0;     ///< T1: tasks; an object with references that is not cut is one
  std::uint64_t span = 0;     ///< T∞: most tasks on a shortest chain; 0 when nothing is reachable
};

/// Traverses what is reachable from `roots`, whose null entries are skipped, level by level and serially,
/// with marks of its own. The heap must not change meanwhile. O(objects + references) time; beside the marks,
/// 8 bytes for each object of two neighbouring levels. Throws std::bad_alloc.
WorkAndSpan work_and_span(std::span<heap::Object* const> roots);

}  // namespace jackdaw::bench
