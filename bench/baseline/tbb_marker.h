// Baselines that mark with oneTBB's tasks: TbbFeederMarker and TbbTasksMarker.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <cstdint>
#include <span>
#include <vector>

#include "bench/baseline/heap_marker.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::bench {

/// What both have in common: an arena of threads, which are started here.
class TbbMarker : public HeapMarker {
 public:
  TbbMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads);

  [[nodiscard]] std::uint32_t threads() const final { return threads_; }

 protected:
  oneapi::tbb::task_arena& arena() { return arena_; }

 private:
  // Without it there would be no more threads than processors.
  const oneapi::tbb::global_control allowed_;
  oneapi::tbb::task_arena arena_;
  const std::uint32_t threads_;
};

/// A packet is an item of a parallel_for_each, and feeds it those that it spawns.
class TbbFeederMarker final : public TbbMarker {
 public:
  using TbbMarker::TbbMarker;

 private:
  void mark_packets(const std::vector<MarkPacket>& packets) override;
};

/// A packet is a task of a task_group, and so are those that it spawns.
class TbbTasksMarker final : public TbbMarker {
 public:
  using TbbMarker::TbbMarker;

 private:
  void mark_packets(const std::vector<MarkPacket>& packets) override;
  void spawn(oneapi::tbb::task_group& group, const MarkPacket& packet) const;
};

}  // namespace jackdaw::bench
