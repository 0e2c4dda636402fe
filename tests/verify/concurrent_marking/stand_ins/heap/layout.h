// Stands in for heap/layout.h: blocks and chunks so small that a model checker can follow what is done to all
// of them.
#pragma once

#include <cstddef>

namespace jackdaw::heap {

inline constexpr std::size_t kGranuleBytes = 16;
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 10;
inline constexpr std::size_t kGranulesPerBlock = kBlockBytes / kGranuleBytes;
inline constexpr std::size_t kChunkBytes = std::size_t{32} << 10;
inline constexpr std::size_t kShortestChunkBytes = kChunkBytes;
inline constexpr std::size_t kBlocksPerChunk = kChunkBytes / kBlockBytes;

}  // namespace jackdaw::heap
