// Signal masks of handlers, as the kernel has them.
#pragma once

#include <csignal>

namespace jackdaw::base {

/// Returns the set of all signals, as sigaction wants it for a handler: no other signal interrupts the
/// handler, and the thread is not cancelled there, as it could be in an interrupted cancellation point.
sigset_t mask_of_all_signals();

}  // namespace jackdaw::base
