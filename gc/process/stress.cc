// The part of a ProcessCollector that collects at random (JACKDAW_STRESS).
#include <new>

#include "base/stress.h"
#include "gc/process/process_collector.h"
#include "gc/process/stress_interval.h"

namespace jackdaw::gc {

// Where a thread is about to allocate.
void ProcessCollector::collect_at_random() {
  if (base::Stress::below(stress_interval(live_bytes(), collections())) != 0) return;
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
