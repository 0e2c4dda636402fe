#include "mark/own_processor.h"

#include <sched.h>
#include <sys/prctl.h>

namespace jackdaw::mark {

namespace {

bool is_filtered() { return prctl(PR_GET_SECCOMP) > 0; }

}  // namespace

OwnProcessor::OwnProcessor() : starts_filtered_(is_filtered()) {}

int OwnProcessor::current() { return sched_getcpu(); }

// A machine with more processors than a cpu_set_t has bits refuses to tell the set.
void OwnProcessor::leave(int processor) const {
  if (processor < 0 || processor >= CPU_SETSIZE || processor != current()) return;
  if (!starts_filtered_ && is_filtered()) return;
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  cpu_set_t others = all;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof all, &all);
}

}  // namespace jackdaw::mark
