// Two threads are stopped, so that the collector sees their stacks, and go on when the stop ends: each is
// woken by the thread that stopped them.
#include "tests/verify/thread_registry/registry.h"

namespace {

bool is_stopped = false;

void* run(void*) {
  verify::begin_thread();
  verify::await_signals(1);
  CHECK(!is_stopped);
  return nullptr;
}

[[gnu::noinline]] void stop() {
  CHECK(verify::stop_others() == 2);
  is_stopped = true;
  verify::look_at_stacks();
  is_stopped = false;
  verify::resume_others();
}

}  // namespace

int main() {
  verify::make_registry(2);
  const verify::Thread first = verify::start(run, nullptr);
  const verify::Thread second = verify::start_twin(run, nullptr, first);
  stop();
  verify::join(first);
  verify::join(second);
  return 0;
}
