// Signal masks of handlers, as the kernel has them.
#pragma once

#include <csignal>

namespace jackdaw::base {

/// All signals, as sigaction wants them for a handler: no other one interrupts it, and the thread is not
/// cancelled in it, which else happens in any function that is a cancellation point and was interrupted.
sigset_t mask_of_all_signals();

}  // namespace jackdaw::base
