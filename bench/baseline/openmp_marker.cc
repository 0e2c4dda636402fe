#include "bench/baseline/openmp_marker.h"

#if defined(_OPENMP)
#include <omp.h>

#include <chrono>
#include <vector>

#include "bench/baseline/heap_marker.h"
#endif

namespace jackdaw::bench {

#if defined(_OPENMP)

namespace {

// A packet is a task, and so are those that it spawns.
//
// A runtime with enough tasks waiting runs a new one at once, within the one that spawned it. They would nest
// as deep as the graph is, so such a packet is only kept, for when the outer one is done.
class OpenMpMarker final : public HeapMarker {
 public:
  OpenMpMarker(heap::Heap& heap, std::span<heap::Object* const> roots, std::uint32_t threads)
      : HeapMarker(heap, roots, threads), threads_(start_threads(static_cast<int>(threads))) {
    send_threads_away();
  }

  [[nodiscard]] std::uint32_t threads() const override { return static_cast<std::uint32_t>(threads_); }

  // OpenMP's threads stay awake for the next parallel region, on the processors that whoever is measured next
  // needs. So they start before the time is taken and are sent away after it. (GCC's are; clang's spin on for
  // a while all the same.)
  std::chrono::nanoseconds run() override {
    start_threads(threads_);
    const std::chrono::nanoseconds time = HeapMarker::run();
    send_threads_away();
    return time;
  }

 private:
  static int start_threads(int wanted) {
    int started = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp single
    started = omp_get_num_threads();
    return started;
  }
  static void send_threads_away() { omp_pause_resource_all(omp_pause_soft); }

  void mark_packets(const std::vector<MarkPacket>& packets) override {
#pragma omp parallel num_threads(threads_)
#pragma omp single
    for (const MarkPacket& packet : packets) spawn(packet);
  }

  void spawn(const MarkPacket& packet) const {
#pragma omp task firstprivate(packet)
    mark_or_keep(packet);
  }

  void mark_or_keep(const MarkPacket& packet) const {
    if (kept_ != nullptr) {
      kept_->push_back(packet);
      return;
    }
    std::vector<MarkPacket> kept = {packet};
    kept_ = &kept;
    while (!kept.empty()) {
      const MarkPacket next = kept.back();
      kept.pop_back();
      mark_packet(next, [this](const MarkPacket& rest) { spawn(rest); });
    }
    kept_ = nullptr;
  }

  // What the task that this thread is at has kept; null between tasks.
  static thread_local std::vector<MarkPacket>* kept_;

  const int threads_;
};

thread_local std::vector<MarkPacket>* OpenMpMarker::kept_ = nullptr;

}  // namespace

bool has_openmp() { return true; }

std::unique_ptr<Baseline> make_openmp_marker(heap::Heap& heap, std::span<heap::Object* const> roots,
                                             std::uint32_t threads) {
  return std::make_unique<OpenMpMarker>(heap, roots, threads);
}

#else

bool has_openmp() { return false; }

std::unique_ptr<Baseline> make_openmp_marker(heap::Heap& /*heap*/, std::span<heap::Object* const> /*roots*/,
                                             std::uint32_t /*threads*/) {
  return nullptr;
}

#endif

}  // namespace jackdaw::bench
