// Stands in for gc/process/signal_mask.h: no handler is interrupted.
#pragma once

#include <csignal>

namespace jackdaw::gc {

inline sigset_t mask_of_all_signals() { return {}; }

}  // namespace jackdaw::gc
