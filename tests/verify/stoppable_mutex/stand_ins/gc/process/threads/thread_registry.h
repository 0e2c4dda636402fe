// Stands in for gc/process/threads/thread_registry.h: nobody is stopped.
#pragma once

namespace jackdaw::gc {

struct ThreadRegistry {
  static void safepoint() {}
};

}  // namespace jackdaw::gc
