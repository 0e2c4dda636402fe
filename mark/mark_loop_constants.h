// The numbers of the mark loop that are part of how it behaves: Worker and Marker go by them, and so do
// simulations of marking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace jackdaw::mark {

/// How many tasks wait for their memory.
inline constexpr std::size_t kPrefetchDepth = 128;
/// When fewer wait than the first number, others come from the queue, up to the second. (With far
/// marks and several workers, all that wait come from the queue.)
inline constexpr std::size_t kLowTasks = 32;
inline constexpr std::size_t kRefilledTasks = 36;

/// How many tasks are visited at a time, at most, while more than kLowTasks wait. Where fewer do, it is a
/// quarter of them, as the younger ones' memory is still on its way.
inline constexpr std::size_t kTasksAtOnce = 16;
inline constexpr std::size_t tasks_at_once(std::size_t waiting) {
  return waiting > kLowTasks ? std::min(waiting - kLowTasks, kTasksAtOnce) : (waiting + 3) / 4;
}

/// In a model without candidates, the memory of this many of the oldest waiting tasks is prefetched, and each
/// visit prefetches one more. It is below kLowTasks, so that a ring at its usual fill takes one branch.
inline constexpr std::size_t kAskedTasks = 16;

/// With eight blocks of which one is granted, a probabilistic choice succeeds once in eight; this many
/// choices for each worker make it unlikely that a thief gives up with work in sight.
inline constexpr std::uint32_t kChoicesPerWorker = 16;

/// How many of the workers at work may search for tasks, at most (as in Go's scheduler): the more thieves
/// look at the queues, the longer those take that have tasks. Others leave.
inline constexpr std::uint32_t most_searchers(std::uint32_t at_work) { return std::max(1U, at_work / 2); }
/// Others are called while fewer search or are on their way.
inline constexpr std::uint32_t least_searchers(std::uint32_t at_work) { return std::max(1U, at_work / 32); }

/// How many victims a thief asks for tasks when a search was in vain.
inline constexpr std::uint32_t kRequestsPerSearch = 4;

/// A worker looks whether it should call others after one poll, then two, four, and so on up to this, until
/// it has called one. The lines that it reads then are written by all.
inline constexpr std::uint32_t kMostPollsBetweenLooks = 128;

/// A worker alone checks after this number of references whether to call others, and does so when this many
/// tasks wait, or this many while it takes big objects apart: each that waits is as large as all that came
/// after it.
inline constexpr std::uint64_t kReferencesBetweenPolls = 256;
inline constexpr std::uint64_t kTasksForOthers = 32;
inline constexpr std::uint64_t kPartsForOthers = 4;
inline constexpr std::uint64_t tasks_for_others(bool has_cut_objects) {
  return has_cut_objects ? kPartsForOthers : kTasksForOthers;
}

/// A helper that followed this many references, or a quarter of the round's, will be woken for the next
/// marking. To follow them takes some times as long as to wake up.
inline constexpr std::uint64_t kReferencesToBeWoken = 8192;

/// How many of a round's roots, or of the objects to visit again, a worker claims at a time, at most.
inline constexpr std::size_t kInputPiece = 256;

}  // namespace jackdaw::mark
