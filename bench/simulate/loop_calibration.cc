#include "bench/simulate/loop_calibration.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "bench/graph/graph_spec.h"
#include "bench/heap_graph.h"
#include "bench/lent_marking.h"
#include "gc/collector.h"

namespace jackdaw::bench {

namespace {

constexpr int kRounds = 10;
constexpr double kReferences = 1500 * 21;  // that the larger comb has more

// A worker alone, or beside a helper that is called at once.
std::unique_ptr<gc::Marking> make_engine(std::uint32_t threads) {
  gc::MarkingOptions options;
  options.engine.threads = threads;
  options.engine.alone_references = 0;
  return gc::make_marking(options);
}

double mark_ns(LentMarking& lent, std::unique_ptr<gc::Marking>& engine) {
  return std::chrono::duration<double, std::nano>(lent.collect_with(engine).mark_time).count();
}

}  // namespace

// A heap that one worker marks from end to end, whoever else is there.
class LoopComparison::Comb {
 public:
  explicit Comb(const std::string& graph)
      : collector_(options()), graph_(make_graph(graph, {}), collector_), lent_(collector_) {}

  void measure(std::unique_ptr<gc::Marking>& alone, std::unique_ptr<gc::Marking>& beside) {
    alone_ns_ = std::min(alone_ns_, mark_ns(lent_, alone));
    beside_ns_ = std::min(beside_ns_, mark_ns(lent_, beside));
  }
  // By how much longer it took beside another worker. Of each the least counts: all else only adds.
  [[nodiscard]] double difference() const { return beside_ns_ - alone_ns_; }

 private:
  static gc::CollectorOptions options() {
    gc::CollectorOptions options;
    options.automatic = false;
    return options;
  }

  gc::Collector collector_;
  HeapGraph graph_;
  LentMarking lent_;
  double alone_ns_ = std::numeric_limits<double>::infinity();
  double beside_ns_ = std::numeric_limits<double>::infinity();
};

LoopComparison::LoopComparison()
    : alone_(make_engine(1)),
      beside_(make_engine(2)),
      combs_{std::make_unique<Comb>("comb:500,20"), std::make_unique<Comb>("comb:2000,20")} {}

LoopComparison::~LoopComparison() = default;

void LoopComparison::measure() {
  for (int round = 0; round < kRounds; ++round) {
    for (const std::unique_ptr<Comb>& comb : combs_) comb->measure(alone_, beside_);
  }
}

double LoopComparison::beside_ns() const {
  return std::max(0.0, (combs_[1]->difference() - combs_[0]->difference()) / kReferences);
}

}  // namespace jackdaw::bench
