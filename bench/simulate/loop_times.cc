#include "bench/simulate/loop_times.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "base/spin.h"
#include "bench/simulate/lone_marker.h"
#include "gc/marking/mark_engine_with.h"
#include "gc/marking/object_model.h"
#include "mark/mark_distance.h"
#include "mark/marker_options.h"

namespace jackdaw::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Duration = mark::MarkDistance::Duration;

// The heap's own model, with biases.
struct BiasedModel : gc::HeapObjectModel {
  BiasedModel(const gc::MarkedHeap& heap, LoopTimes::Samples&) : HeapObjectModel(heap) {}
};

// A model without biases.
struct SharedModel : gc::HeapObjectModel {
  SharedModel(const gc::MarkedHeap& heap, LoopTimes::Samples&) : HeapObjectModel(heap) {}

  static void bias_word_of(Reference object) = delete;
};

// A model without biases, whose marks seem to be far. It notes the samples until then, measured as by
// MarkDistance.
struct FarModel : SharedModel {
  FarModel(const gc::MarkedHeap& heap, LoopTimes::Samples& its_samples)
      : SharedModel(heap, its_samples), samples(its_samples) {}

  [[nodiscard]] bool is_marked(Reference object) const {
    const auto start = Clock::now();
    const auto before = Clock::now();
    const bool is_marked = SharedModel::is_marked(object);
    asm volatile("" : : "r"(is_marked) : "memory");
    const auto after = Clock::now();
    const Duration sample = (after - before) - (before - start);
    samples.sum += std::clamp(sample, Duration{0}, mark::MarkDistance::kLongest);
    ++samples.count;
    while (Clock::now() < after + mark::MarkDistance::kLongest) base::pause_core();
    return is_marked;
  }

  LoopTimes::Samples& samples;
};
static_assert(mark::BiasedObjectModel<BiasedModel> && !mark::BiasedObjectModel<SharedModel>);

template <typename Model>
std::unique_ptr<gc::MarkEngine> one_workers_engine(LoopTimes::Samples& samples) {
  const auto make_model = [&samples](const gc::MarkedHeap& heap) { return Model(heap, samples); };
  return std::make_unique<gc::MarkEngineWith<LoneMarker<Model>, decltype(make_model)>>(make_model,
                                                                                       mark::MarkerOptions());
}

}  // namespace

LoopTimes::LoopTimes()
    : engines_{one_workers_engine<BiasedModel>(samples_), one_workers_engine<SharedModel>(samples_),
               one_workers_engine<FarModel>(samples_)} {
  least_ns_.fill(std::numeric_limits<double>::infinity());
}

LoopTimes::~LoopTimes() = default;

void LoopTimes::run(MarkingSwap& lent, bool counts) {
  for (std::size_t loop = 0; loop < kMarkLoops; ++loop) {
    const auto time = lent.collect_with(engines_[loop]).mark_time;
    if (counts)
      least_ns_[loop] = std::min(least_ns_[loop], std::chrono::duration<double, std::nano>(time).count());
  }
}

double LoopTimes::mean_sample_ns() const {
  if (samples_.count == 0) return 0;
  return static_cast<double>(samples_.sum.count()) / static_cast<double>(samples_.count);
}

}  // namespace jackdaw::bench
