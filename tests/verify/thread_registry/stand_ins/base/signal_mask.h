// Stands in for base/signal_mask.h: no handler is interrupted.
#pragma once

#include <csignal>

namespace jackdaw::base {

inline sigset_t mask_of_all_signals() { return {}; }

}  // namespace jackdaw::base
