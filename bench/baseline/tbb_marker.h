// Baselines that mark with oneTBB's tasks: TbbFeederMarker and TbbTasksMarker.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <cstdint>
#include <span>
#include <vector>

#include "bench/baseline/heap_marker.h"
#include "bench/baseline/object_marking.h"
#include "bench/baseline/packet_marking.h"
#include "heap/heap.h"
#include "heap/object.h"

namespace jackdaw::bench {

/// The base of these markers: an arena with threads that it starts.
template <typename Form>
class TbbMarker : public HeapMarker<Form> {
 public:
  TbbMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads);

  [[nodiscard]] std::uint32_t threads() const final { return threads_; }

 protected:
  oneapi::tbb::task_arena& arena() { return arena_; }

 private:
  // It allows more threads than there are processors.
  const oneapi::tbb::global_control allowed_;
  oneapi::tbb::task_arena arena_;
  const std::uint32_t threads_;
};

/// Each object is an item of a parallel_for_each, and adds those that it spawns.
class TbbFeederMarker final : public TbbMarker<ByObject> {
 public:
  using TbbMarker::TbbMarker;

 private:
  void mark_all(const std::vector<Task>& tasks) override;
};

/// Each object, or packet, is a task of a task_group, and so are those that it spawns.
template <typename Form>
class TbbTasksMarker final : public TbbMarker<Form> {
 public:
  using TbbMarker<Form>::TbbMarker;
  using typename TbbMarker<Form>::Task;

 private:
  void mark_all(const std::vector<Task>& tasks) override;
  void spawn(oneapi::tbb::task_group& group, const Task& task) const;
};

// Defined in tbb_marker.cc, for these forms.
extern template class TbbMarker<ByObject>;
extern template class TbbMarker<ByPacket>;
extern template class TbbTasksMarker<ByObject>;
extern template class TbbTasksMarker<ByPacket>;

}  // namespace jackdaw::bench
