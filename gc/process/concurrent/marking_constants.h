// Constants of the marking thread (ConcurrentMarking), each with its unit and its meaning.
// docs/architecture.md has the constants of the whole cycle, docs/results.md the figures that were measured.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace jackdaw::gc::marking_constants {

// --- Gathering: what is found before it is marked from ---

/// Objects: roots, and objects to visit again, that are gathered together; a stop ends when so many are.
inline constexpr std::size_t kPiece = 65536;
/// Objects: room for them in a stop, where they are not marked from: each mark thread ends what it has
/// begun.
inline constexpr std::size_t kMostOfAStop = 4 * kPiece;
/// Objects: newly found ones that a stop may leave to the last pause.
inline constexpr std::size_t kLeastFound = 1024;

// --- Scan rate: what a mark thread visits of dirty pages ---

/// Bytes/ms: the prior, and the best rate that a sample may say.
inline constexpr double kVisitedPerMillisecond = 2 << 20;
/// Bytes: weight of what is known beside a new sample.
inline constexpr double kVisitsKnown = 4 << 20;
/// Times the best: a slower sample is clamped: its thread may have been preempted.
inline constexpr double kMostTimesSlower = 8;

// --- Re-marking: passes over the dirty pages ---

/// Passes: while the program runs.
inline constexpr std::uint32_t kMostRounds = 16;
/// Pieces: visited by a mark thread before it looks at the clock (TakenPages).
inline constexpr std::size_t kBatch = 16;
/// Parts of a stop: the program runs for one of them between two stops. With longer gaps it writes so much
/// that it is stopped for longer altogether; with shorter ones it does little but stand still.
inline constexpr std::uint32_t kPartOfAStop = 8;
/// Parts of a stop: the shortest gap; and the time that is left of a stop at least.
inline constexpr std::uint32_t kLeastPartOfAStop = 32;
/// Ms: if no thread allocates for so long after the marking, dirty pages are visited again; the wait
/// doubles each time.
inline constexpr std::chrono::milliseconds kPatience{10};

// --- The last pause ---

/// Bytes: a mark thread is woken for each, of dirty pages to expect.
inline constexpr std::uint64_t kWrittenOfAHelper = 1 << 20;
/// Chunks: and one for each, of chunks to ask the kernel about.
inline constexpr std::uint32_t kPartsOfAHelper = 64;
/// Bytes: scanned of a chunk, though they may hold nothing, before the kernel is asked exactly.
inline constexpr std::uintptr_t kMostUnasked = 256 << 10;

// --- Time ---

/// Ms: as long as a stop takes in which something gets done.
inline constexpr std::chrono::milliseconds kLeastStop{1};
/// Times the target: a stop-the-world pause may be so long, where a first write to a page takes as many
/// microseconds.
inline constexpr std::int64_t kMostTimesTolerated = 32;
/// Ms: nothing is divided by less.
inline constexpr std::chrono::duration<double, std::milli> kNoTime{0.001};

}  // namespace jackdaw::gc::marking_constants
