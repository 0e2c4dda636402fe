#include "mark/own_processor.h"

#include <cstddef>
#include <cstring>

namespace jackdaw::mark {

namespace {

bool get_affinity(pthread_t thread, cpu_set_t& set) {
  return pthread_getaffinity_np(thread, sizeof set, &set) == 0;
}
bool set_affinity(pthread_t thread, const cpu_set_t& set) {
  return pthread_setaffinity_np(thread, sizeof set, &set) == 0;
}

// Undoes a restriction to part of `allowed`. Where nothing but the system restricted the thread before, all
// processors are asked for: a set that was asked for keeps the thread from processors that come later.
void restore_affinity(pthread_t thread, const cpu_set_t& allowed) {
  cpu_set_t every;
  std::memset(&every, 0xff, sizeof every);
  cpu_set_t now;
  if (!set_affinity(thread, every) || !get_affinity(thread, now) || !CPU_EQUAL(&now, &allowed))
    set_affinity(thread, allowed);
}

// Takes a processor out of a set, unless the set would be empty. Returns whether it is out of it.
bool take_out(int processor, cpu_set_t& set) {
  if (processor < 0 || processor >= CPU_SETSIZE) return false;
  cpu_set_t left = set;
  CPU_CLR(static_cast<std::size_t>(processor), &left);
  if (CPU_COUNT(&left) == 0) return false;
  set = left;
  return true;
}

}  // namespace

// A machine with more processors than a cpu_set_t has bits refuses to tell the set.
void OwnProcessor::keep_off(pthread_t thread, int processor, int second) {
  if (!may_call_system()) return;
  cpu_set_t now;
  if (!get_affinity(thread, now)) return;
  if (!is_kept_off_ || !CPU_EQUAL(&now, &left_)) allowed_ = now;
  cpu_set_t left = allowed_;
  if (!take_out(processor, left)) return;
  take_out(second, left);
  if (!set_affinity(thread, left)) return;
  left_ = left;
  is_kept_off_ = true;
}

void OwnProcessor::come_back() {
  if (!is_kept_off_ || !may_call_system()) return;
  is_kept_off_ = false;
  cpu_set_t now;
  if (get_affinity(pthread_self(), now) && CPU_EQUAL(&now, &left_))
    restore_affinity(pthread_self(), allowed_);
}

}  // namespace jackdaw::mark
