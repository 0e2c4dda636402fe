// OwnEngine: our engine with a fixed number of workers, beside the one that decides by itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "bench/baseline/baseline.h"
#include "bench/heap/marking_swap.h"
#include "gc/marking/mark_engine.h"
#include "gc/runtime/collector.h"

namespace jackdaw::bench {

/// Collects the collector's heap with another engine of ours. The collector must outlive the object.
class OwnEngine final : public Baseline {
 public:
  /// Marks with one worker.
  static std::unique_ptr<OwnEngine> serial(gc::Collector& collector, gc::MarkingOptions options) {
    options.engine.threads = 1;
    return std::make_unique<OwnEngine>(collector, options);
  }
  /// Marks with all workers from the start of each round.
  static std::unique_ptr<OwnEngine> team(gc::Collector& collector, gc::MarkingOptions options) {
    options.engine.tuning.serial_references = 0;
    return std::make_unique<OwnEngine>(collector, options);
  }

  OwnEngine(gc::Collector& collector, const gc::MarkingOptions& options)
      : collector_(collector), engine_(options.make(options)) {}

  [[nodiscard]] Phase phase() const override { return Phase::collection; }
  [[nodiscard]] std::uint32_t threads() const override { return engine_->marker().worker_count(); }
  std::chrono::nanoseconds run() override {
    return MarkingSwap(collector_).collect_with(engine_).collect_time;
  }

 private:
  gc::Collector& collector_;
  std::unique_ptr<gc::MarkEngine> engine_;
};

}  // namespace jackdaw::bench
