#include "bench/simulate/loop_times.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "base/spin.h"
#include "gc/marking/marking_with.h"
#include "gc/marking/object_model.h"
#include "mark/mark_distance.h"
#include "mark/marker.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/victim/any.h"

namespace jackdaw::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Duration = mark::MarkDistance::Duration;

// There is another worker, which never comes, as one is said to search already.
class NobodyElse {
 public:
  explicit NobodyElse(mark::Backoff) {}

  void start_round() {}
  static bool begin(std::uint32_t) { return false; }
  void end() {}
  [[nodiscard]] static std::uint32_t count() { return 1; }
  template <typename SeesWork, typename IsAlone>
  bool stays(SeesWork, IsAlone) {
    return false;
  }
};

// BiasedRegions, as the heap's own.
struct BiasedModel : gc::HeapObjectModel {
  BiasedModel(const gc::MarkedHeap& heap, LoopTimes::Samples&) : HeapObjectModel(heap) {}
};

// Has no biases.
struct SharedModel : gc::HeapObjectModel {
  SharedModel(const gc::MarkedHeap& heap, LoopTimes::Samples&) : HeapObjectModel(heap) {}

  static void bias_word_of(Reference object) = delete;
};

// Has no biases, and marks that seem to be far. Notes what a sample takes until then, measured as by
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

mark::MarkerOptions engine_options() {
  mark::MarkerOptions options;
  options.threads = 2;
  // The worker goes on as beside others as soon as others could help.
  options.tuning.serial_references = 1;
  options.tuning.small_round_references = 0;
  return options;
}

template <typename Model>
std::unique_ptr<gc::Marking> one_workers_marking(LoopTimes::Samples& samples) {
  const auto make_model = [&samples](const gc::MarkedHeap& heap) { return Model(heap, samples); };
  using Marker = mark::Marker<Model, mark::BwosLifo<gc::MarkTask>, mark::AnyVictim, NobodyElse>;
  return std::make_unique<gc::MarkingWith<Marker, decltype(make_model)>>(engine_options(), make_model);
}

}  // namespace

LoopTimes::LoopTimes()
    : engines_{one_workers_marking<BiasedModel>(samples_), one_workers_marking<SharedModel>(samples_),
               one_workers_marking<FarModel>(samples_)} {
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
