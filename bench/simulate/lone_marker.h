// LoneMarker: one worker of the engine that marks as if beside others, which never come.
//
// A Marker with one worker uses another loop (mark/mark_loop.h), and one with several calls them. So this has
// a team of its own for the engine's Worker: no worker can be called, and the worker leaves when it runs out
// of tasks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mark/biased_regions.h"
#include "mark/mark_loop_constants.h"
#include "mark/marker_base.h"
#include "mark/marker_options.h"
#include "mark/object_model.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/statistics.h"
#include "mark/thread_pool.h"
#include "mark/victim/numa_probabilistic.h"
#include "mark/victim/victim_policy.h"
#include "mark/worker.h"

namespace jackdaw::bench {

/// It has mark::Marker's functions, for gc::MarkEngineWith.
template <mark::ObjectModel Model>
class LoneMarker final : public mark::MarkerBase {
 public:
  using Task = typename Model::Task;
  using Reference = typename Model::Reference;

  /// Throws std::bad_alloc.
  explicit LoneMarker(const mark::MarkerOptions& options)
      : worker_(team_, options, {}, [](const mark::VictimSetup& setup) { return Victim(setup); }) {
    team_.worker = &worker_;
  }

  void set_most_workers(std::uint32_t) override {}
  using MarkerBase::wake_helpers;
  void wake_helpers(std::uint32_t) override {}
  void share(mark::ThreadPool::Job part, std::uint32_t parts) override {
    for (std::uint32_t i = 0; i < parts; ++i) part(i);
  }
  void share_with_all(mark::ThreadPool::Job part, std::uint32_t parts) override { share(part, parts); }
  bool mark(Model& model, std::span<const Reference> roots, std::span<const Task> rescans) {
    team_.input = {roots, rescans};
    worker_.start_round();
    // It marks as if beside others as soon as they could help.
    if (!worker_.run_serially(model, 1)) worker_.take_part(model);
    worker_.finish_round();
    return !worker_.dropped_tasks();
  }
  [[nodiscard]] std::span<const mark::WorkerStatistics> statistics() const override {
    return {&worker_.statistics(), 1};
  }
  [[nodiscard]] std::span<const std::uint32_t> steals_by_victim(std::uint32_t) const override {
    return worker_.steals_by_victim().first(1);
  }
  [[nodiscard]] std::uint32_t worker_count() const override { return 1; }
  [[nodiscard]] std::chrono::nanoseconds helpers_time() const override { return {}; }
  [[nodiscard]] std::size_t memory_bytes() const override { return worker_.memory_bytes(); }

 private:
  using Queue = mark::BwosLifo<Task>;
  using Victim = mark::NumaProbabilisticVictim;

  // They say that another worker searches already, so a worker that runs out of tasks leaves.
  struct Searchers {
    static bool begin(std::uint32_t) { return false; }
    static void end() {}
    template <typename SeesWork, typename IsAlone>
    static bool stays(SeesWork, IsAlone) {
      return false;
    }
  };

  // Stands in for mark::Team.
  struct Team {
    struct Input {
      std::span<const Reference> roots;
      std::span<const Task> rescans;
    };

    auto& queue_of(std::uint32_t) { return worker->queue(); }
    mark::BiasedRegions& biased_regions_of(std::uint32_t) { return worker->biased_regions(); }
    static void request_tasks_of(std::uint32_t) {}
    [[nodiscard]] static std::uint32_t node_of(std::uint32_t) { return 0; }
    [[nodiscard]] static std::uint32_t worker_count() { return 2; }
    [[nodiscard]] static std::uint32_t called() { return 1; }
    [[nodiscard]] static std::uint32_t at_work() { return 1; }
    static Searchers searchers() { return {}; }
    [[nodiscard]] static std::uint32_t searchers_lacking() { return 0; }
    static bool wake() { return false; }
    static std::uint64_t stays_alone_until(std::uint64_t) { return 0; }
    [[nodiscard]] bool has_input() const { return !input.roots.empty() || !input.rescans.empty(); }
    bool claim_input(Input& piece) {
      piece = {take_piece(input.roots), take_piece(input.rescans)};
      return !piece.roots.empty() || !piece.rescans.empty();
    }

    template <typename Element>
    static std::span<const Element> take_piece(std::span<const Element>& from) {
      const std::size_t size = std::min(mark::kInputPiece, from.size());
      const std::span<const Element> piece = from.first(size);
      from = from.subspan(size);
      return piece;
    }

    mark::Worker<Model, Queue, Victim, Team>* worker = nullptr;
    Input input;
  };

  Team team_;
  mark::Worker<Model, Queue, Victim, Team> worker_;
};

}  // namespace jackdaw::bench
