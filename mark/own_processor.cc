#include "mark/own_processor.h"

#include <sched.h>

#include <cstring>

namespace jackdaw::mark {

namespace {

bool get_affinity(cpu_set_t& set) { return sched_getaffinity(0, sizeof set, &set) == 0; }
bool set_affinity(const cpu_set_t& set) { return sched_setaffinity(0, sizeof set, &set) == 0; }

// Undoes a restriction to part of `allowed`. Where nothing but the system restricted the thread before, all
// processors are asked for: a set that was asked for keeps the thread from processors that come later.
void restore_affinity(const cpu_set_t& allowed) {
  cpu_set_t every;
  std::memset(&every, 0xff, sizeof every);
  cpu_set_t now;
  if (!set_affinity(every) || !get_affinity(now) || !CPU_EQUAL(&now, &allowed)) set_affinity(allowed);
}

}  // namespace

int OwnProcessor::current() { return sched_getcpu(); }

// A machine with more processors than a cpu_set_t has bits refuses to tell the set.
void OwnProcessor::leave(int processor) const {
  if (processor < 0 || processor >= CPU_SETSIZE || processor != current()) return;
  if (!starts_filtered_ && base::has_system_call_filter()) return;
  cpu_set_t allowed;
  if (!get_affinity(allowed)) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) != 0 && set_affinity(others)) restore_affinity(allowed);
}

}  // namespace jackdaw::mark
