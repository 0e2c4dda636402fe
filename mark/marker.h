// Marker: the parallel marking engine. It marks everything that can be reached from the roots, on every
// worker.
//
// An engine knows no heap: it is a template over an object model, a queue, a victim policy and a terminator.
// Make one and keep it: its threads, queues and statistics last from collection to collection.
//
// Source of the whole: work stealing after Blumofe and Leiserson (JACM 1999) with the queues of Wang et al.
// (OSDI 2023) and the termination of Hassanein (ISMM 2016).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "mark/object_model.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/queue/queue.h"
#include "mark/statistics.h"
#include "mark/termination/owst.h"
#include "mark/termination/terminator.h"
#include "mark/thread_pool.h"
#include "mark/victim/random_probabilistic.h"
#include "mark/victim/victim_policy.h"
#include "mark/worker.h"

namespace jackdaw::mark {

/// How an engine is set up.
struct MarkerOptions {
  std::uint32_t threads = 1;      ///< workers, the collecting thread included: 1 to 1024
  std::size_t blocks = 8;         ///< blocks of each worker's queue
  std::size_t block_size = 1024;  ///< tasks of each block
  std::uint64_t seed = 1;         ///< of the victim choice
  /// Tasks that a worker's overflow list may hold. When it is full, tasks are dropped and mark() returns
  /// false.
  std::size_t overflow_limit = std::numeric_limits<std::size_t>::max();
};

template <ObjectModel Model, StealableQueue Queue = BwosLifo<typename Model::Task>,
          VictimPolicy Victim = RandomProbabilisticVictim, Terminator Detector = OwstTerminator>
class Marker {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;

  /// Starts the mark threads. Throws std::invalid_argument for numbers out of range, and std::bad_alloc. When
  /// threads cannot be started there are fewer workers and a warning on stderr.
  explicit Marker(const MarkerOptions& options) : pool_(checked(options.threads)) {
    const std::uint32_t count = pool_.size();
    workers_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      workers_.push_back(
          std::make_unique<TeamWorker>(*this, i, options.blocks, options.block_size, options.overflow_limit,
                                       Victim(i, std::max(count, 2U), options.seed * 1000003 + i)));
    }
    statistics_.resize(count);
  }

  /// Marks everything that can be reached from `roots`, or, to continue a marking that dropped tasks, from
  /// the marked objects whose tasks are in `revisits`. Returns whether nothing was dropped: false means that
  /// some marked objects were not visited, because there was no memory to remember them; visit all marked
  /// objects again until it returns true. The roots and the model must stay as they are meanwhile. One call
  /// at a time.
  bool mark(Model& model, std::span<const Reference> roots, std::span<const Task> revisits = {}) {
    roots_ = roots;
    revisits_ = revisits;
    // Relaxed: the pool hands over to the workers afterwards.
    next_root_.store(0, std::memory_order_relaxed);
    next_revisit_.store(0, std::memory_order_relaxed);
    detector_.start_round(worker_count());
    if (worker_count() == 1) {
      workers_[0]->template run_round<Sharing::exclusive>(model);
    } else {
      pool_.run([&](std::uint32_t worker) { workers_[worker]->template run_round<Sharing::shared>(model); });
    }
    bool complete = true;
    for (std::uint32_t i = 0; i < worker_count(); ++i) {
      statistics_[i] = workers_[i]->statistics();
      complete = complete && !workers_[i]->dropped_tasks();
    }
    return complete;
  }

  /// The counts of the last mark(), one entry per worker.
  [[nodiscard]] std::span<const WorkerStatistics> statistics() const { return statistics_; }
  /// Workers, the caller of mark() included.
  [[nodiscard]] std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  /// Bytes of all queues, and of the overflow lists at their peak in the last mark(). Not during mark().
  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t bytes = 0;
    for (const auto& worker : workers_) bytes += worker->memory_bytes();
    return bytes;
  }

 private:
  friend class Worker<Model, Queue, Victim, Marker>;
  using TeamWorker = Worker<Model, Queue, Victim, Marker>;

  static std::uint32_t checked(std::uint32_t threads) {
    if (threads == 0 || threads > Leases::kMaximumWorkers) {
      throw std::invalid_argument("Marker: the number of threads must be from 1 to 1024");
    }
    return threads;
  }

  // What a worker takes of the round's input at a time.
  struct Input {
    std::span<const Reference> roots;
    std::span<const Task> revisits;
  };
  static constexpr std::size_t kInputPiece = 256;

  template <typename Element>
  static std::span<const Element> claim_piece(std::span<const Element> all, std::atomic<std::size_t>& next) {
    // Relaxed: only the number matters; what it numbers was there before the round.
    if (next.load(std::memory_order_relaxed) >= all.size()) return {};
    const std::size_t first = next.fetch_add(kInputPiece, std::memory_order_relaxed);
    if (first >= all.size()) return {};
    return all.subspan(first, std::min(kInputPiece, all.size() - first));
  }
  bool claim_input(Input& input) {
    input.roots = claim_piece(roots_, next_root_);
    input.revisits = claim_piece(revisits_, next_revisit_);
    return !input.roots.empty() || !input.revisits.empty();
  }

  Queue& queue_of(std::uint32_t worker) { return workers_[worker]->queue(); }

  Leases& leases_of(std::uint32_t worker) { return workers_[worker]->leases(); }
  Detector& terminator() { return detector_; }

  ThreadPool pool_;
  std::vector<std::unique_ptr<TeamWorker>> workers_;
  std::vector<WorkerStatistics> statistics_;
  Detector detector_;
  std::span<const Reference> roots_;
  std::span<const Task> revisits_;
  alignas(128) std::atomic<std::size_t> next_root_{0};
  std::atomic<std::size_t> next_revisit_{0};
};

}  // namespace jackdaw::mark
