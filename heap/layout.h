// The heap's units: granules, blocks and chunks.
#pragma once

#include <cstddef>

namespace jackdaw::heap {

/// Objects start at multiples of this many bytes.
inline constexpr std::size_t kGranuleBytes = 16;
/// Small objects of one size share a block; large ones have blocks of their own or share spans.
inline constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
inline constexpr std::size_t kGranulesPerBlock = kBlockBytes / kGranuleBytes;
/// The heap takes memory from the system in aligned units of this many bytes.
inline constexpr std::size_t kChunkBytes = std::size_t{16} << 20;
inline constexpr std::size_t kBlocksPerChunk = kChunkBytes / kBlockBytes;
/// A chunk for which the system had less memory than kChunkBytes has at least this many bytes.
inline constexpr std::size_t kShortestChunkBytes = std::size_t{1} << 20;

}  // namespace jackdaw::heap
