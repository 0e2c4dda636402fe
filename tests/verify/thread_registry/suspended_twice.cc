// A thread is suspended by hand, resumed and suspended again at once. A stop meanwhile does not wait for it,
// and sees its stack and what it did.
#include "tests/verify/thread_registry/registry.h"

namespace {

std::uint32_t steps = 0;

void* run(void*) {
  verify::begin_thread();
  verify::await_signals(1);
  ++steps;
  verify::await_signals(2);
  CHECK(steps == 2);
  return nullptr;
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  verify::registry->suspension().suspend(1);
  verify::registry->suspension().resume(1);
  verify::registry->suspension().suspend(1);
  CHECK(verify::stop_others() == 0);
  verify::look_at_stacks();
  ++steps;
  verify::resume_others();
  verify::registry->suspension().resume(1);
  verify::join(thread);
  return 0;
}
