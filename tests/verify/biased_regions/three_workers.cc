// BiasedRegions: two workers mark two objects of one region, plainly where they may and atomically where they
// must, while each polls, gives up and biases again; a third comes by once. Every object is marked by exactly
// one of them and no mark is lost; a reference that a worker had to defer is marked at the end, when all
// biases have ended.
#include "mark/biased_regions.h"

#include "tests/verify/verify.h"

namespace {

using jackdaw::mark::BiasedRegions;
using jackdaw::mark::BiasWord;
using jackdaw::mark::MarkingRight;

constexpr std::uint32_t kObjects = 2;

BiasedRegions biased_regions_0(0);
BiasedRegions biased_regions_1(1);
BiasedRegions biased_regions_2(2);
BiasWord region{0};
std::atomic<std::uint32_t> marks{0};

BiasedRegions& biased_regions_of(std::uint32_t worker) {
  if (worker == 0) return biased_regions_0;
  return worker == 1 ? biased_regions_1 : biased_regions_2;
}

// Returns 1 when this call marked the object, 0 when it was marked or its reference had to be deferred.
int try_to_mark(BiasedRegions& own, std::uint32_t object) {
  const std::uint32_t bit = 1U << object;
  switch (own.right_to_mark(region, biased_regions_of)) {
    case MarkingRight::exclusive: {
      const std::uint32_t before = marks.load(std::memory_order_relaxed);
      if ((before & bit) != 0) return 0;
      marks.store(before | bit, std::memory_order_relaxed);
      return 1;
    }
    case MarkingRight::shared:
      return (marks.fetch_or(bit, std::memory_order_relaxed) & bit) == 0 ? 1 : 0;
    case MarkingRight::none:
      break;
  }
  return 0;
}

// Marks the objects in an order of its own and polls between, as the mark loop does between tasks; then it
// runs out of tasks.
template <std::uint32_t worker>
void* mark_all(void*) {
  BiasedRegions& own = biased_regions_of(worker);
  long marked = 0;
  for (std::uint32_t i = 0; i < kObjects; ++i) {
    marked += try_to_mark(own, worker == 0 ? i : kObjects - 1 - i);
    own.poll();
  }
  // Objects whose references were deferred are tried again.
  marked += try_to_mark(own, worker);
  own.give_up();
  return verify::result(static_cast<std::uint64_t>(marked));
}

void* come_by(void*) {
  const long marked = try_to_mark(biased_regions_2, 0);
  biased_regions_2.give_up();
  return verify::result(static_cast<std::uint64_t>(marked));
}

}  // namespace

int main() {
  const verify::Thread one = verify::start(mark_all<0>, nullptr);
  const verify::Thread other = verify::start(mark_all<1>, nullptr);
  const verify::Thread third = verify::start(come_by, nullptr);
  std::uint64_t marked = verify::join(one) + verify::join(other) + verify::join(third);
  for (std::uint32_t object = 0; object < kObjects; ++object) {
    marked += static_cast<std::uint64_t>(try_to_mark(biased_regions_0, object));
  }
  CHECK(marked == kObjects);
  CHECK(marks.load(std::memory_order_relaxed) == (1U << kObjects) - 1);
  return 0;
}
