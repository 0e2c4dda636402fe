// Stands in for gc/process/threads/stoppable_mutex.h: a mutex that the model checker knows.
#pragma once

#include "tests/verify/verify.h"

namespace jackdaw::gc {

struct StoppableMutex : verify::Mutex {
  static void let_nobody_pass() {}
};

}  // namespace jackdaw::gc
