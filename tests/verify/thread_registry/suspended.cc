// A thread is suspended by hand and resumed, in and out of critical sections and while it uses a lock:
// at once or put off, it is stopped until it is resumed, and the thread that waits for that sees what it did.
#include "tests/verify/thread_registry/registry.h"

namespace {

std::uint32_t steps = 0;

void* run(void*) {
  jackdaw::gc::ProcessThread& own = verify::begin_thread();
  {
    const jackdaw::gc::ThreadRegistry::CriticalSection section(own);
    verify::take_signals();
  }
  ++steps;
  static_cast<void>(verify::registry->count());
  ++steps;
  verify::await_signals(1);
  return nullptr;
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  verify::registry->suspension().suspend(1);
  verify::registry->suspension().await_suspension(1);
  CHECK(verify::registry->suspension().is_suspended(1));
  CHECK(steps <= 2);
  verify::registry->suspension().resume(1);
  verify::join(thread);
  CHECK(steps == 2);
  return 0;
}
