// Stands in for gc/process/stoppable_mutex.h: a mutex that the model checker knows.
#pragma once

#include "tests/verify/verify.h"

namespace jackdaw::gc {

using StoppableMutex = verify::Mutex;

}  // namespace jackdaw::gc
