// OverflowList: the tasks of a worker that its queue has no room for.
//
// It is a stack in segments, which grows by a segment and never copies a task. One empty segment is kept, so
// that a worker at a segment's edge does not allocate again and again. Its owner alone touches it: tasks
// reach other workers only by going back to the queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/page_memory.h"

namespace jackdaw::mark {

template <typename Task, std::size_t kTasksOfASegment = 1022>
class OverflowList {
 public:
  static constexpr std::size_t kSegmentTasks = kTasksOfASegment;

  OverflowList() = default;
  OverflowList(const OverflowList&) = delete;
  OverflowList& operator=(const OverflowList&) = delete;
  ~OverflowList() {
    // Segments are destroyed one by one: a recursive destructor would need as deep a stack as the chain is
    // long.
    while (top_ != nullptr) top_ = std::move(top_->below);
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Returns the number of tasks.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Amortised O(1). False when there is no memory for a segment, with nothing changed.
  [[nodiscard]] bool push(Task task) {
    if ((top_ == nullptr || top_->used == kSegmentTasks) && !add_segment()) return false;
    put(task);
    return true;
  }

  /// Takes the newest task. False when there is none. O(1).
  bool pop(Task& task) {
    if (size_ == 0) return false;
    if (top_->used == 0) drop_segment();
    JACKDAW_CHECK(top_->used != 0);
    task = top_->tasks[--top_->used];
    --size_;
    return true;
  }

  /// Moves tasks to the owner's queue, where thieves reach them: newest first, until the queue has granted a
  /// block, is full, or has got `most` tasks. (A queue in blocks grants after a block's worth and one more.)
  template <typename Queue>
  void hand_back(Queue& queue, std::size_t most) {
    const std::uint64_t grants = queue.counters().grants;
    Task task{};
    for (std::size_t i = 0; i < most && queue.counters().grants == grants && pop(task); ++i) {
      if (!queue.push(task)) {
        put(task);  // there is room, as it was just popped
        return;
      }
    }
  }

  /// Returns the bytes of the segments.
  [[nodiscard]] std::size_t memory_bytes() const { return segments_ * sizeof(Segment); }
  /// Returns the most that memory_bytes() was since the list was made or last released its memory.
  [[nodiscard]] std::size_t peak_memory_bytes() const { return peak_segments_ * sizeof(Segment); }

  /// Releases the memory, except for one segment. The list must be empty.
  void release_memory() {
    JACKDAW_CHECK(empty());
    spare_.reset();
    peak_segments_ = segments_ = top_ != nullptr ? 1 : 0;
  }

 private:
  struct Segment {
    static void* operator new(std::size_t bytes) noexcept { return base::PageMemory::allocate(bytes).data(); }
    static void operator delete(void* memory) {
      base::PageMemory::release({static_cast<std::byte*>(memory), sizeof(Segment)});
    }

    std::unique_ptr<Segment> below;
    std::size_t used = 0;
    std::array<Task, kSegmentTasks> tasks;
  };

  // Puts a task into the top segment, which has room.
  void put(Task task) {
    JACKDAW_CHECK(top_ != nullptr && top_->used < kSegmentTasks);
    top_->tasks[top_->used++] = task;
    ++size_;
  }

  bool add_segment() {
    std::unique_ptr<Segment> segment = std::move(spare_);
    if (segment == nullptr) {
      segment.reset(new Segment);  // the tasks stay uninitialised
      if (segment == nullptr) return false;
      ++segments_;
      if (segments_ > peak_segments_) peak_segments_ = segments_;
    }
    segment->below = std::move(top_);
    top_ = std::move(segment);
    return true;
  }

  // Drops the top segment, which is empty and not the only one.
  void drop_segment() {
    JACKDAW_CHECK(top_->below != nullptr && top_->below->used == kSegmentTasks);
    std::unique_ptr<Segment> emptied = std::move(top_);
    top_ = std::move(emptied->below);
    if (spare_ == nullptr) {
      spare_ = std::move(emptied);
    } else {
      --segments_;
    }
  }

  std::unique_ptr<Segment> top_;
  std::unique_ptr<Segment> spare_;
  std::size_t size_ = 0;
  std::size_t segments_ = 0;
  std::size_t peak_segments_ = 0;
};

}  // namespace jackdaw::mark
