// fork: gc.h, section 18.
#include "gc/process/fork.h"
#include "gc/c/own_locks.h"
#include "gc/c/settings.h"
#include "gc/c/start.h"

namespace jackdaw::c_interface {

constinit OwnLocks own_locks;

#pragma GCC visibility push(default)
extern "C" {

void GC_set_handle_fork(int who) {
  if (GC_is_init_called() != 0) return;
  initial_options().handles_fork = who == 1;
  settings.program_handles_fork = who == -1;
}

void GC_atfork_prepare() {
  if (settings.program_handles_fork) gc::ProcessFork::prepare(collector());
}
void GC_atfork_parent() {
  if (settings.program_handles_fork) gc::ProcessFork::end_in_parent(collector());
}
void GC_atfork_child() {
  if (settings.program_handles_fork) gc::ProcessFork::end_in_child(collector());
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface
