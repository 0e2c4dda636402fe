// A thread that was stopped for a fork enters a critical section as soon as it goes on: it waits until the
// fork is over, and nothing else wakes it.
#include "tests/verify/thread_registry/registry.h"

namespace {

// Relaxed: a fork changes nothing that sections guard, so opening them orders nothing.
std::atomic<bool> has_entered{false};

void* run(void*) {
  jackdaw::gc::ProcessThread& own = verify::begin_thread();
  verify::await_signals(1);
  const jackdaw::gc::ThreadRegistry::CriticalSection section(own);
  has_entered.store(true, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  verify::registry->prepare_fork();
  CHECK(!has_entered.load(std::memory_order_relaxed));
  verify::registry->after_fork_in_parent();
  verify::join(thread);
  CHECK(has_entered.load(std::memory_order_relaxed));
  return 0;
}
