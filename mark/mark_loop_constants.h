// Constants that determine how marking behaves: Worker, Marker and simulations of marking use them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace jackdaw::mark {

/// The room of the prefetch buffer, in tasks.
inline constexpr std::size_t kPrefetchDepth = 128;
/// When fewer tasks than kLowTasks wait in the prefetch buffer, others are popped until kRefilledTasks do.
/// (With far marks and several workers, all tasks pass through the queue.)
inline constexpr std::size_t kLowTasks = 32;
inline constexpr std::size_t kRefilledTasks = 36;

/// The most tasks that are visited in a batch. While kLowTasks wait or more, three quarters of that many stay
/// behind, and of fewer a quarter is visited, as the younger ones' memory is still on its way.
inline constexpr std::size_t kTasksAtOnce = 16;
inline constexpr std::size_t tasks_at_once(std::size_t waiting) {
  return waiting > kLowTasks ? std::min(waiting - kLowTasks * 3 / 4, kTasksAtOnce) : (waiting + 3) / 4;
}

/// The most waiting tasks of which one is visited at a time.
inline constexpr std::size_t kFewTasks = 4;
static_assert(tasks_at_once(kFewTasks) == 1 && tasks_at_once(kFewTasks + 1) == 2);

/// In a model without candidates, the memory of this many of the oldest waiting tasks is prefetched, and each
/// visit prefetches one more. It is below kLowTasks, so that a ring at its usual fill takes one branch.
inline constexpr std::size_t kAskedTasks = 16;

/// A thief makes this many choices for each worker in a search. With eight blocks of which one is granted, a
/// choice succeeds once in eight, so it is unlikely that a thief gives up with work in sight.
inline constexpr std::uint32_t kChoicesPerWorker = 16;

/// The most workers that may search for tasks at once, as in Go's scheduler: the more thieves read the
/// queues, the slower are the owners. Others leave the round.
inline constexpr std::uint32_t most_searchers(std::uint32_t at_work) { return std::max(1U, at_work / 2); }
/// Helpers are called while fewer workers than this search or are on their way.
inline constexpr std::uint32_t least_searchers(std::uint32_t at_work) { return std::max(1U, at_work / 32); }

/// The number of victims that a thief asks for tasks after a search in vain.
inline constexpr std::uint32_t kRequestsPerSearch = 4;

/// A worker checks whether to call others after one poll, then two, four, and so on up to this, until it has
/// called one. The lines that it then reads are written by all.
inline constexpr std::uint32_t kMostPollsBetweenLooks = 128;

/// A worker alone checks after this number of references whether to call others. It does so when the first
/// number of tasks waits, or the second while it takes big objects apart: each part that waits is as large as
/// all parts after it.
inline constexpr std::uint64_t kReferencesBetweenPolls = 256;
inline constexpr std::uint64_t kTasksForOthers = 32;
inline constexpr std::uint64_t kPartsForOthers = 4;
inline constexpr std::uint64_t tasks_for_others(bool has_cut_objects) {
  return has_cut_objects ? kPartsForOthers : kTasksForOthers;
}

/// A helper that followed this many references, or a quarter of the round's, is woken ahead of the next
/// marking. Following them takes a few times as long as waking up.
inline constexpr std::uint64_t kReferencesToBeWoken = 8192;

/// The most roots or rescans that a worker claims at a time.
inline constexpr std::size_t kInputPiece = 256;

}  // namespace jackdaw::mark
