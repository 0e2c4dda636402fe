// The requirements of Jackdaw's marking engine (jackdaw/marker.h) on a heap: a class that says where an
// object's mark is and what the object refers to. This is all that it must do; the compiler checks the
// functions' forms as concepts (mark/object_model.h).
#pragma once

#if __cplusplus < 202002L
#error "Jackdaw's C++ interface needs C++20: compile with -std=c++20"
#else

#include "base/prefetch.h"
#include "mark/object_model.h"
#include "mark/slices.h"

namespace jackdaw {

/// A heap as the mark loop sees it.
///
/// `Reference` is what a slot or a root holds; `Task` is a reference, or a part of an object, in a form that
/// queues can copy as plain bytes (8 bytes are best).
///
/// - `mark(reference, sharing)` sets the object's mark and gives the MarkOutcome. With `Sharing::shared`
///   several workers may call it for one object at once, and exactly one is told that it marked it.
/// - `is_marked(reference)` says whether the mark is set; only how long that takes matters here.
/// - `prefetch_mark(reference)` prefetches the object's mark for writing; it must not fault.
/// - `prefetch(task)` prefetches what visit() will read; it must neither fault nor read what the task names:
///   it is also called with tasks of earlier rounds, and Task{}. (Use prefetch_to_read() below: compilers may
///   drop calls of functions that only prefetch by a built-in one.) A model that can prefetch less where it
///   knows what led to the object also has `prefetch(task, r)`, with r as below.
/// - `visit(task, sink)` calls `sink.reference(r)` for every non-null reference of the task's object, or of
///   the part that the task names, and `sink.task(t)` for further parts, so that each part is visited once.
///   `r` is a Reference, or a type that converts to one: then `mark` and `bias_word_of` take it, too.
///
/// All are called from every mark thread; the round's start and end synchronise with the collecting thread.
/// None may throw: a marking cannot be abandoned half-way, so the process would end. A task is visited once,
/// unless tasks were dropped because memory ran out: then objects are visited again (Marker::mark), and what
/// visit() notes elsewhere may be noted twice.
using mark::ObjectModel;

/// The argument and the result of an ObjectModel's mark().
using mark::MarkOutcome;
using mark::Sharing;

/// A model whose heap is divided into regions in which one worker at a time can mark (mark/biased_regions.h):
/// `bias_word_of(reference)` is the word of the region that holds the object's mark. Marks of different
/// regions must not share a memory word. All words are zero when a marking starts.
using mark::BiasedObjectModel;

/// A model that recognises tasks that are parts of big objects: `is_slice(task)`. Slices are popped one at a
/// time, so that an array's elements are visited in order and not all at once.
using mark::SlicingObjectModel;

/// A model that prefetches in the order of addresses: `prefetch_following(task)` prefetches what lies about a
/// KiB behind the task's object; it must not fault. It is called where objects form a list: none can be
/// prefetched before its predecessor was read, but they often lie in the order of allocation.
using mark::FollowingObjectModel;

/// A model that knows on which memory node an object lies: `node_of(task)`, numbered as in
/// MarkerOptions::nodes.
using mark::PlacedObjectModel;

/// A model that finds references in two steps. visit() picks out words that may be references, its
/// candidates, by a test without branches, and writes them to the sink's buffer. When enough have come
/// together, `examine(candidates, sink)` calls `sink.reference(r)` for those that are references, and returns
/// how many are. So no branch depends on the contents of a single object, which a processor predicts badly,
/// and the memory accesses of many candidates overlap.
///
/// `visit_at_once(task, sink)` visits an object that has no candidates and returns true, or does nothing and
/// returns false, as it may for any object. It reports only references, so that `sink` can stay in registers.
/// `visit_few_words(task, sink)` does the same for tasks that are picked from: it is called where few tasks
/// wait, where candidates would only delay the next one. Both may be called with any task, and return false
/// for those that they are not for.
///
/// `pick_from(tasks, enough, candidates)` does the first step for many tasks; `is_picked_from(task)` is true
/// for the first. It writes candidates to `candidates`, where there is room for `enough` and
/// kCandidatesAtOnce, and returns how many tasks it has visited (`tasks`, at least one) and how many
/// candidates it wrote (`candidates`). It ends when there are `enough`, or up to kTasksAtOnce small tasks
/// later, or before a task for which is_picked_from() is false.
///
/// The sink of such a visit is a handle that may be copied. It has `candidates()`, an array,
/// `candidate_count()`, the number of candidates in it, and `set_candidate_count(count)`, by which a visit
/// adds some. There is room for kCandidatesAtOnce when a visit begins, and again after `make_room()`. It may
/// have `batch()`: a faster sink for references only, which `end()` ends.
using mark::CandidateObjectModel;

/// A sink that takes candidates.
using mark::CandidateSink;
using mark::kCandidatesAtOnce;
using mark::kCandidateScratch;

/// How a big array is cut into tasks that several workers can share.
using mark::Slices;

/// These are for a model's prefetch functions.
using base::prefetch_to_read;
using base::prefetch_to_write;

}  // namespace jackdaw

#endif
