#include "bench/baseline/tbb_marker.h"

#include <oneapi/tbb/parallel_for_each.h>

#include "bench/baseline/thread_rendezvous.h"

namespace jackdaw::bench {

namespace tbb = oneapi::tbb;

namespace {

std::uint32_t count_threads(tbb::task_arena& arena, std::uint32_t expected) {
  ThreadRendezvous thread_rendezvous(expected);
  arena.execute([&] {
    tbb::task_group group;
    for (std::uint32_t i = 0; i < expected; ++i) group.run([&] { thread_rendezvous.come(); });
    group.wait();
  });
  return thread_rendezvous.came();
}

}  // namespace

template <typename Form>
TbbMarker<Form>::TbbMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads)
    : HeapMarker<Form>(heap, roots, threads),
      allowed_(tbb::global_control::max_allowed_parallelism, threads),
      arena_(static_cast<int>(threads)),
      threads_(count_threads(arena_, threads)) {}

void TbbFeederMarker::mark_all(const std::vector<Task>& tasks) {
  arena().execute([&] {
    tbb::parallel_for_each(tasks, [this](const Task& task, tbb::feeder<Task>& feeder) {
      mark(task, [&](const Task& rest) { feeder.add(rest); });
    });
  });
}

template <typename Form>
void TbbTasksMarker<Form>::mark_all(const std::vector<Task>& tasks) {
  this->arena().execute([&] {
    tbb::task_group group;
    for (const Task& task : tasks) spawn(group, task);
    group.wait();
  });
}

template <typename Form>
void TbbTasksMarker<Form>::spawn(tbb::task_group& group, const Task& task) const {
  group.run([this, &group, task] { this->mark(task, [&](const Task& rest) { spawn(group, rest); }); });
}

template class TbbMarker<ByObject>;
template class TbbMarker<ByPacket>;
template class TbbTasksMarker<ByObject>;
template class TbbTasksMarker<ByPacket>;

}  // namespace jackdaw::bench
