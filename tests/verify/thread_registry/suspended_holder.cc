// A thread is suspended by hand while it holds a lock: it stops when it has released it, so the lock is
// free for the thread that suspended it.
#include <mutex>

#include "tests/verify/thread_registry/registry.h"

namespace {

jackdaw::gc::StoppableMutex mutex;
std::uint32_t steps = 0;

void* run(void*) {
  verify::begin_thread();
  {
    const std::lock_guard lock(mutex);
    verify::await_signals(1);
    ++steps;
  }
  CHECK(steps == 2);
  return nullptr;
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  verify::registry->suspension().suspend(1);
  verify::registry->suspension().await_suspension(1);
  {
    const std::lock_guard lock(mutex);
    CHECK(steps == 1);
    ++steps;
  }
  verify::registry->suspension().resume(1);
  verify::join(thread);
  return 0;
}
