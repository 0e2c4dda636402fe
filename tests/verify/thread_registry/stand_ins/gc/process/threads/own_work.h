// Stands in for gc/process/threads/own_work.h: nobody asks for memory. By way of it, the registry's friend, a
// client comes to what only the system calls.
#pragma once

namespace jackdaw::gc {

class ProcessThread;

struct OwnWork {
  OwnWork() {}  // NOLINT(modernize-use-equals-default): an unused variable otherwise
  static bool is_under_way() { return false; }

  static void handle_stop_signal();
  static void set_current(ProcessThread* thread);
};

}  // namespace jackdaw::gc
