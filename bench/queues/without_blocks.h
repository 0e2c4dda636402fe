// The queues without blocks share these parts. Their sizes are given in blocks all the same, they answer a
// sample, and several tasks are stolen from them one after another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include "mark/queue/queue.h"

namespace jackdaw::bench {

/// The sizes that a queue without blocks is made with. They give the room it has, and the grain in which its
/// fill is sampled, so that victims are chosen among all queues alike. Never changes; any thread.
class BlockShape {
 public:
  static constexpr std::size_t kMaximumCapacity = std::numeric_limits<std::uint32_t>::max();

  /// Throws std::invalid_argument when a size is 0 or the product exceeds kMaximumCapacity.
  BlockShape(std::size_t block_count, std::size_t block_size)
      : block_count_(block_count), block_size_(block_size) {
    if (block_count == 0 || block_size == 0 || block_size > kMaximumCapacity / block_count)
      throw std::invalid_argument("number or size of blocks out of range");
  }

  /// Tasks that the blocks would hold together.
  [[nodiscard]] std::size_t capacity() const { return block_count_ * block_size_; }

  /// Whether the one of the first kSampledBlocks blocks that `sample` picks would have something to steal if
  /// `tasks` tasks lay in as few blocks as possible: so any task is noticed with a probability of at least
  /// 1 / kSampledBlocks. O(1).
  [[nodiscard]] bool looks_stealable(std::size_t tasks, std::uint64_t sample) const {
    return sample % std::min(block_count_, mark::kSampledBlocks) * block_size_ < tasks;
  }

 private:
  std::size_t block_count_;
  std::size_t block_size_;
};

/// Returns how many of `tasks` tasks a thief takes at once: half, rounded up, but at most `room`.
inline std::size_t batch_of(std::size_t tasks, std::size_t room) { return std::min((tasks + 1) / 2, room); }

/// Thief. Fills `room` by `claim(task)`, which steals one task, until it has taken a batch of the `tasks`
/// that the queue was seen to hold or a claim fails. Claims at least once. O(batch).
template <typename Task, typename Claim>
mark::BatchSteal claim_one_by_one(std::span<Task> room, std::size_t tasks, Claim claim) {
  const std::size_t wanted = batch_of(tasks, room.size());
  std::size_t count = 0;
  for (;;) {
    const mark::StealOutcome outcome = claim(room[count]);
    if (outcome != mark::StealOutcome::taken) return {count > 0 ? mark::StealOutcome::taken : outcome, count};
    if (++count >= wanted) return {mark::StealOutcome::taken, count};
  }
}

}  // namespace jackdaw::bench
