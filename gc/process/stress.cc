// The part of a ProcessCollector that collects at random (JACKDAW_STRESS).
#include <algorithm>
#include <new>

#include "base/stress.h"
#include "gc/process/process_collector.h"

namespace jackdaw::gc {

// Where a thread is about to allocate. The more is live, the rarer, so that the whole takes a bounded part of
// the time: by MiB, so that a word that happens to look like an address changes nothing.
void ProcessCollector::collect_at_random() {
  constexpr std::uint64_t kOneOf = 64;
  constexpr std::uint64_t kOneOfForMib = 16;
  if (base::Stress::below(kOneOf + kOneOfForMib * (live_bytes() >> 20)) != 0) return;
  this_thread();
  try {
    switch (base::Stress::below(4)) {
      case 0:
        collect_unless(hooks_.declines);
        break;
      case 1:
        collect_a_little();
        break;
      default:
        begin_cycle();
        break;
    }
  } catch (const std::bad_alloc&) {  // then no collection
  }
}

}  // namespace jackdaw::gc
