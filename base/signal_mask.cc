#include "base/signal_mask.h"

#include <cstring>

#include "base/signals_blocked.h"

namespace jackdaw::base {

// The C library passes a handler's mask to the kernel unchanged.
sigset_t mask_of_all_signals() {
  sigset_t mask;
  sigemptyset(&mask);
  std::memcpy(&mask, &kAllSignals, sizeof kAllSignals);
  return mask;
}

}  // namespace jackdaw::base
