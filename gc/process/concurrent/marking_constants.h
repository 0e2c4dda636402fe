// Constants of the marking thread (ConcurrentMarking). Each comment begins with the constant's unit.
// docs/architecture.md has the constants of the whole cycle, docs/results.md the measurements.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jackdaw::gc::marking_constants {

// --- Gathering: what is found before it is marked from ---

/// Objects: the roots and rescans that are gathered before they are marked from. A stop ends when it has
/// found as many.
inline constexpr std::size_t kPiece = 65536;
/// Objects: the room for rescans in a stop, which are marked from afterwards. Each mark thread finishes the
/// batch that it began.
inline constexpr std::size_t kMostOfAStop = 4 * kPiece;
/// Objects: newly found ones that a stop may leave to the last pause.
inline constexpr std::size_t kLeastFound = 1024;

// --- Scan rate: what a mark thread visits of dirty pages ---

/// Bytes/ms: the initial scan rate of a mark thread, and the highest that a sample may have.
inline constexpr double kVisitedPerMillisecond = 2 << 20;
/// Bytes: the weight of the present scan rate beside that of a new sample, which weighs as many bytes as it
/// read.
inline constexpr double kVisitsKnown = 4 << 20;
/// Factor: a sample is clamped to this many times the best time, since its thread may have been preempted.
inline constexpr double kMostTimesSlower = 8;

// --- Re-marking: passes over the dirty pages ---

/// Passes: the most over dirty pages while the program runs.
inline constexpr std::uint32_t kMostRounds = 16;
/// Pieces: a mark thread visits this many before it looks at the clock (ClaimedPages).
inline constexpr std::size_t kBatch = 16;
/// Divisor of a stop's length: the quotient is the time for which the program runs between two stops. With
/// longer gaps it writes more pages and is stopped for longer in all; with shorter ones it makes little
/// progress.
inline constexpr std::uint32_t kGapDivisor = 8;
/// Divisor of a stop's length: the quotient is the shortest gap, and the least time for work in a stop.
inline constexpr std::uint32_t kMostGapDivisor = 32;
/// Ms: if no thread allocates for this time after the marking, dirty pages are visited again. The wait
/// doubles each time.
inline constexpr std::chrono::milliseconds kPatience{10};

// --- The last pause ---

/// Bytes: the last pause wakes a mark thread for each of these that is expected to be dirty.
inline constexpr std::uint64_t kDirtyBytesPerHelper = 1 << 20;
/// Chunks, or parts of the registered stacks: the last pause wakes one more mark thread for each of these
/// that the kernel is asked about.
inline constexpr std::uint32_t kChunksPerHelper = 64;
/// Bytes: the last pause scans this much of each chunk, though it may be empty, before it asks the kernel
/// exactly.
inline constexpr std::uintptr_t kMostUnqueried = 256 << 10;

// --- Time ---

/// Ms: the shortest stop in which something gets done.
inline constexpr std::chrono::milliseconds kLeastStop{1};
/// Factor of the pause target: the longest stop-the-world pause that is tolerated where writes to armed pages
/// are slow.
inline constexpr std::int64_t kMostTimesTolerated = 32;
/// Ms: the least divisor of a time.
inline constexpr std::chrono::duration<double, std::milli> kNoTime{0.001};

}  // namespace jackdaw::gc::marking_constants
