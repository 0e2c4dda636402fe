#include "gc/process/stoppable_mutex.h"

#include <thread>

#include "gc/process/thread_registry.h"

namespace jackdaw::gc {

void StoppableMutex::lock_between_stops() {
  while (!mutex_.try_lock()) {
    ThreadRegistry::safepoint();
    std::this_thread::yield();
  }
}

}  // namespace jackdaw::gc
