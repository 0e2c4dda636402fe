#include "bench/simulate/loop_calibration.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/graph/graph_spec.h"
#include "bench/heap_graph.h"
#include "bench/lent_marking.h"
#include "bench/mark_experiment.h"
#include "gc/collector.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint32_t kRounds = 41;

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

// A heap that one worker marks from end to end, whoever else is there.
class Comb {
 public:
  explicit Comb(const std::string& graph)
      : collector_(options()), graph_(make_graph(graph, {}), collector_), lent_(collector_) {}

  void measure(std::unique_ptr<gc::Marking>& alone, std::unique_ptr<gc::Marking>& beside) {
    const double alone_ns = mark_ns(lent_, alone);
    differences_.push_back(mark_ns(lent_, beside) - alone_ns);
  }
  // By how much longer it took beside another worker.
  [[nodiscard]] double difference() const { return median_of(differences_); }

 private:
  static gc::CollectorOptions options() {
    gc::CollectorOptions options;
    options.automatic = false;
    return options;
  }

  gc::Collector collector_;
  HeapGraph graph_;
  LentMarking lent_;
  std::vector<double> differences_;
};

}  // namespace

double measure_loop_beside() {
  constexpr double kReferences = 1500 * 21;  // that the larger one has more
  Comb small("comb:500,20");
  Comb large("comb:2000,20");
  std::unique_ptr<gc::Marking> alone = make_engine(1);
  std::unique_ptr<gc::Marking> beside = make_engine(2);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    small.measure(alone, beside);
    large.measure(alone, beside);
  }
  return std::max(0.0, (large.difference() - small.difference()) / kReferences);
}

}  // namespace jackdaw::bench
