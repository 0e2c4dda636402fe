// BlockRing: how the queues in blocks number their blocks.
//
// Source: Wang et al., "BWoS", OSDI 2023, §3.3 (round control). Block numbers only grow; block v lies in slot
// v mod NB of the ring and is in round v div NB. Every word that describes a block carries the round, so that
// a word of one round is never taken for one of another. Slots begin in round 0, which holds no tasks; work
// begins in round 1. Rounds wrap around.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "base/throw_or_end.h"
#include "mark/queue/queue.h"

namespace jackdaw::mark {

/// A block's slot in the ring, and the round of the slot.
struct BlockNumber {
  using Round = std::uint32_t;

  Round round;
  std::uint32_t slot;

  bool operator==(const BlockNumber&) const = default;

  static constexpr Round kFirstRound = 1;

  /// Returns the block at which work begins.
  static constexpr BlockNumber first() { return {kFirstRound, 0}; }

  /// Returns the round that a word carries in bits 32 to 63.
  static Round round_of(std::uint64_t word) { return static_cast<Round>(word >> 32); }

  /// These convert the number to one word and back.
  [[nodiscard]] std::uint64_t packed() const { return (std::uint64_t{round} << 32) | slot; }
  static BlockNumber unpacked(std::uint64_t word) {
    return {round_of(word), static_cast<std::uint32_t>(word)};
  }
};

/// The ring's sizes. Never changes; any thread.
class BlockRing {
 public:
  static constexpr std::size_t kDefaultBlockCount = 8192;
  static constexpr std::size_t kDefaultBlockSize = 1024;
  static constexpr std::size_t kMinimumBlockCount = 2;
  static constexpr std::size_t kMaximumBlockCount = std::size_t{1} << 16;
  static constexpr std::size_t kMaximumBlockSize = (std::size_t{1} << 16) - 2;

  /// Throws std::invalid_argument when a size is out of range.
  BlockRing(std::size_t block_count, std::size_t block_size)
      : block_count_(block_count), block_size_(block_size) {
    if (block_count < kMinimumBlockCount || block_count > kMaximumBlockCount || block_size < 1 ||
        block_size > kMaximumBlockSize)
      base::throw_or_end(std::invalid_argument("number or size of blocks out of range"));
  }

  [[nodiscard]] std::size_t block_count() const { return block_count_; }
  /// Returns the tasks of a block.
  [[nodiscard]] std::size_t block_size() const { return block_size_; }
  /// Returns the tasks of all blocks.
  [[nodiscard]] std::size_t capacity() const { return block_count_ * block_size_; }

  [[nodiscard]] BlockNumber successor(BlockNumber number) const {
    if (number.slot + 1 == block_count_) return {number.round + 1, 0};
    return {number.round, number.slot + 1};
  }
  [[nodiscard]] BlockNumber predecessor(BlockNumber number) const {
    if (number.slot == 0) return {number.round - 1, static_cast<std::uint32_t>(block_count_ - 1)};
    return {number.round, number.slot - 1};
  }
  /// Returns the slot that `sample` picks among the first kSampledBlocks slots from `first` on, or among all
  /// if there are fewer.
  [[nodiscard]] std::uint32_t sampled_slot(std::uint32_t first, std::uint64_t sample) const {
    const std::size_t picked_from = std::min(block_count_, kSampledBlocks);
    const std::size_t slot = first + (sample % picked_from + picked_from - first % picked_from) % picked_from;
    return static_cast<std::uint32_t>(slot < block_count_ ? slot : slot - block_count_);
  }

 private:
  std::size_t block_count_;
  std::size_t block_size_;
};

}  // namespace jackdaw::mark
