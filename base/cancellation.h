// CancellationDisabled: pthread_cancel does not end this thread while it holds up all others.
#pragma once

#include <pthread.h>

namespace jackdaw::base {

/// While the object lives, cancellation points of its thread, such as waiting for mark threads, do not end
/// it; the next one afterwards does. May be nested.
class CancellationDisabled {
 public:
  CancellationDisabled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationDisabled() { pthread_setcancelstate(before_, nullptr); }
  CancellationDisabled(const CancellationDisabled&) = delete;
  CancellationDisabled& operator=(const CancellationDisabled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace jackdaw::base
