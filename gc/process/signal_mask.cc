#include "gc/process/signal_mask.h"

#include <cstring>

#include "base/signals_blocked.h"

namespace jackdaw::gc {

// The C library hands the mask on as it is.
sigset_t mask_of_all_signals() {
  sigset_t mask;
  sigemptyset(&mask);
  std::memcpy(&mask, &base::kAllSignals, sizeof base::kAllSignals);
  return mask;
}

}  // namespace jackdaw::gc
