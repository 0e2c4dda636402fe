// A race of the engine against the plain loop that a runtime's author would try first (plain_loop.h), on
// heaps of small runtimes (heaps.h). Both must mark the same objects.
//
// Usage: embedding_race [OBJECTS [REPEATS [HEAP/SHAPE]]]: 10 million, 5 and all; HEAP/SHAPE may be a part of
// one. Exit status: 0; 1 when marks differ; 2 for bad arguments.
#include <jackdaw/marker.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/embedding/heaps.h"
#include "bench/embedding/plain_loop.h"
#include "mark/random_numbers.h"
#include "tools/command/median.h"

namespace {

using jackdaw::bench::kFields;
using jackdaw::mark::RandomNumbers;

struct Race {
  std::uint32_t objects = 10'000'000;
  std::size_t repeats = 5;
  std::string_view filter;
};

// `set(object, field, target)` is called for each field that holds a reference. All objects are reachable
// from object 0.
using Set = std::function<void(std::uint32_t, std::uint32_t, std::uint32_t)>;
using Shape = void (*)(std::uint32_t, const Set&);

void random_references(std::uint32_t objects, const Set& set) {
  RandomNumbers random(1);
  for (std::uint32_t i = 0; i < objects; ++i) {
    for (std::uint32_t field = 0; field < kFields; ++field) set(i, field, random.below(objects));
  }
}

// References lead to objects that were allocated a little later.
void near_references(std::uint32_t objects, const Set& set) {
  RandomNumbers random(1);
  for (std::uint32_t i = 0; i < objects; ++i) {
    for (std::uint32_t field = 0; field < kFields; ++field)
      set(i, field, std::min(i + 1 + random.below(1000), objects - 1));
  }
}

void list_in_order(std::uint32_t objects, const Set& set) {
  for (std::uint32_t i = 0; i + 1 < objects; ++i) set(i, 0, i + 1);
}

void scattered_list(std::uint32_t objects, const Set& set) {
  RandomNumbers random(1);
  std::vector<std::uint32_t> order(objects);
  std::iota(order.begin(), order.end(), 0);
  for (std::uint32_t i = objects - 1; i > 1; --i) std::swap(order[i], order[1 + random.below(i)]);
  for (std::uint32_t i = 0; i + 1 < objects; ++i) set(order[i], 0, order[i + 1]);
}

struct NamedShape {
  const char* name;
  Shape fill;
};
constexpr std::array<NamedShape, 4> kShapes{{{"random", random_references},
                                             {"near", near_references},
                                             {"list", list_in_order},
                                             {"scattered-list", scattered_list}}};

// One heap, and the ways to mark it, the plain ones first.
template <typename Heap>
class Contest {
 public:
  static constexpr std::size_t kPlainWays = 2;
  static constexpr std::size_t kWays = kPlainWays + 2;

  Contest(const Race& race, const NamedShape& shape)
      : race_(race), shape_(shape), heap_(race.objects, 2), one_(with_threads(1)), two_(with_threads(2)) {
    shape.fill(race.objects, [this](std::uint32_t object, std::uint32_t field, std::uint32_t target) {
      heap_.set(object, field, target);
    });
  }

  // Returns whether all ways marked the same objects.
  bool run() {
    for (std::size_t i = 0; i <= race_.repeats; ++i) {  // the first run does not count
      for (std::size_t way = 0; way < kWays; ++way) {
        const double time = timed(way);
        if (i != 0)
          times_[way].push_back(time);
        else if (!is_as_the_first())
          return false;
      }
    }
    report();
    return true;
  }

 private:
  using Marker = jackdaw::Marker<typename Heap::Model>;
  using PlainMark = jackdaw::bench::PlainMark;

  static jackdaw::MarkerOptions with_threads(std::uint32_t threads) {
    jackdaw::MarkerOptions options;
    options.threads = threads;
    return options;
  }

  double timed(std::size_t way) {
    using jackdaw::bench::mark_plainly;
    heap_.clear_marks();
    const std::array roots{heap_.reference_to(0)};
    const std::span<const typename Heap::Reference> all(roots);
    const auto start = std::chrono::steady_clock::now();
    switch (way) {
      case 0:
        mark_plainly<PlainMark::when_found>(heap_, all, stack_);
        break;
      case 1:
        mark_plainly<PlainMark::when_visited>(heap_, all, stack_);
        break;
      case 2:
        one_.mark(heap_.model(), all);
        break;
      default:
        two_.mark(heap_.model(), all);
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  bool is_as_the_first() {
    std::vector<bool> marks(race_.objects);
    for (std::uint32_t i = 0; i < race_.objects; ++i) marks[i] = heap_.is_marked(i);
    if (expected_.empty()) expected_ = marks;
    if (marks == expected_) return true;
    std::fprintf(stderr, "embedding_race: %s/%s: marks differ\n", Heap::kName, shape_.name);
    return false;
  }

  void report() const {
    std::array<double, kWays> medians;
    std::transform(times_.begin(), times_.end(), medians.begin(), jackdaw::tools::median_of);
    const double plain = std::min(medians[0], medians[1]);
    std::printf("| %s | %s | %.1f | %.1f | %.1f | %.2f | %.1f | %.2f |\n", Heap::kName, shape_.name,
                medians[0], medians[1], medians[2], medians[2] / plain, medians[3], medians[3] / plain);
    std::fflush(stdout);
  }

  const Race& race_;
  const NamedShape& shape_;
  Heap heap_;
  Marker one_;
  Marker two_;
  std::vector<typename Heap::Reference> stack_;
  std::vector<bool> expected_;
  std::array<std::vector<double>, kWays> times_;
};

template <typename Heap>
bool race_on(const Race& race) {
  for (const NamedShape& shape : kShapes) {
    const std::string name = std::string(Heap::kName) + "/" + shape.name;
    if (name.find(race.filter) == std::string::npos) continue;
    if (!Contest<Heap>(race, shape).run()) return false;
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  Race race;
  if (count > 1) race.objects = static_cast<std::uint32_t>(std::strtoul(arguments[1], nullptr, 10));
  if (count > 2) race.repeats = std::strtoul(arguments[2], nullptr, 10);
  if (count > 3) race.filter = arguments[3];
  if (count > 4 || race.objects < 2 || race.objects > 1'000'000'000 || race.repeats == 0) {
    std::fputs("usage: embedding_race [OBJECTS [REPEATS [HEAP/SHAPE]]]\n", stderr);
    return 2;
  }
  std::puts(
      "| heap | shape | plain, marks when found, ms | plain, when visited | one worker | ratio | two | ratio "
      "|\n"
      "|---|---|--:|--:|--:|--:|--:|--:|");
  using namespace jackdaw::bench;
  return race_on<ArenaHeap>(race) && race_on<CellHeap>(race) && race_on<HeaderHeap>(race) ? 0 : 1;
}
