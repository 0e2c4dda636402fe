// Two stopped threads go on when one of them is woken, and only that one wakes the other.
#include "tests/verify/thread_registry/registry.h"

namespace {

bool is_stopped = false;

void* run(void*) {
  verify::begin_thread();
  verify::await_end_of_stops();
  CHECK(!is_stopped);
  return nullptr;
}

[[gnu::noinline]] void stop() {
  CHECK(verify::stop_others() == 2);
  is_stopped = true;
  is_stopped = false;
  verify::registry->stops().resume_others_soon();
}

}  // namespace

int main() {
  verify::make_registry(2);
  const verify::Thread first = verify::start(run, nullptr);
  const verify::Thread second = verify::start_twin(run, nullptr, first);
  stop();
  verify::end_stops(1);
  verify::end_stops(2);
  verify::join(first);
  verify::join(second);
  return 0;
}
