// A thread declares itself blocked, goes on and leaves, while it is stopped: a stop waits for it as
// long as it uses the heap, and it does not go on from being blocked before the stop is over.
#include "tests/verify/thread_registry/registry.h"

namespace {

bool is_stopped = false;
std::uint32_t steps = 0;

void* run(void*) {
  verify::begin_thread();
  ++steps;
  verify::registry->call_blocked([](void*) {}, nullptr);
  CHECK(!is_stopped);
  ++steps;
  verify::registry->unregister_current();
  return nullptr;
}

[[gnu::noinline]] void stop() {
  CHECK(verify::stop_others() <= 1);
  is_stopped = true;
  CHECK(steps <= 2);
  is_stopped = false;
  verify::resume_others();
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  stop();
  verify::join(thread);
  CHECK(steps == 2);
  CHECK(verify::registry->count() == 0);
  return 0;
}
