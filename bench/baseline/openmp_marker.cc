#include "bench/baseline/openmp_marker.h"

#include "bench/baseline/object_marking.h"
#include "bench/baseline/packet_marking.h"

#if defined(_OPENMP)
#include <omp.h>

#include <chrono>
#include <vector>

#include "bench/baseline/heap_marker.h"
#endif

namespace jackdaw::bench {

#if defined(_OPENMP)

namespace {

int start_threads(int wanted) {
  int started = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp single
  started = omp_get_num_threads();
  return started;
}

void send_threads_away() { omp_pause_resource_all(omp_pause_soft); }

// Each object, or packet, is a task, and so are those that it spawns.
//
// A runtime with many waiting tasks runs a new one at once, inside the one that spawned it. Such tasks would
// nest as deep as the graph, so a nested one is only stored until the outer one is done.
template <typename Form>
class OpenMpMarker final : public HeapMarker<Form> {
 public:
  using typename HeapMarker<Form>::Task;

  OpenMpMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads)
      : HeapMarker<Form>(heap, roots, threads), threads_(start_threads(static_cast<int>(threads))) {
    send_threads_away();
  }

  [[nodiscard]] std::uint32_t threads() const override { return static_cast<std::uint32_t>(threads_); }

  // OpenMP's threads stay awake for the next parallel region, on the processors that the next measurement
  // needs. So they start before the time is taken and are released after it. (GCC's go to sleep then; clang's
  // still spin for a while.)
  std::chrono::nanoseconds run() override {
    start_threads(threads_);
    const std::chrono::nanoseconds time = HeapMarker<Form>::run();
    send_threads_away();
    return time;
  }

 private:
  void mark_all(const std::vector<Task>& tasks) override {
#pragma omp parallel num_threads(threads_)
#pragma omp single
    for (const Task& task : tasks) spawn(task);
  }

  void spawn(const Task& task) const {
#pragma omp task firstprivate(task)
    mark_or_keep(task);
  }

  void mark_or_keep(const Task& task) const {
    if (kept_ != nullptr) {
      kept_->push_back(task);
      return;
    }
    std::vector<Task> kept;  // takes no memory until it holds something
    kept_ = &kept;
    mark_and_spawn(task);
    while (!kept.empty()) {
      const Task next = kept.back();
      kept.pop_back();
      mark_and_spawn(next);
    }
    kept_ = nullptr;
  }

  void mark_and_spawn(const Task& task) const {
    this->mark(task, [this](const Task& rest) { spawn(rest); });
  }

  // The tasks stored by the task that this thread executes; null between tasks.
  static inline thread_local std::vector<Task>* kept_ = nullptr;

  const int threads_;
};

}  // namespace

bool has_openmp() { return true; }

template <typename Form>
std::unique_ptr<Baseline> make_openmp_marker(heap::Heap& heap, std::span<heap::Object* const> roots,
                                             std::uint32_t threads) {
  return std::make_unique<OpenMpMarker<Form>>(heap, roots, threads);
}

#else

bool has_openmp() { return false; }

template <typename Form>
std::unique_ptr<Baseline> make_openmp_marker(heap::Heap& /*heap*/, std::span<heap::Object* const> /*roots*/,
                                             std::uint32_t /*threads*/) {
  return nullptr;
}

#endif

template std::unique_ptr<Baseline> make_openmp_marker<ByObject>(heap::Heap&, std::span<heap::Object* const>,
                                                                std::uint32_t);
template std::unique_ptr<Baseline> make_openmp_marker<ByPacket>(heap::Heap&, std::span<heap::Object* const>,
                                                                std::uint32_t);

}  // namespace jackdaw::bench
