// A stop signal that somebody else sent comes before, while or after the thread is asked to stop: it answers
// once, to the stop that asks.
#include "tests/verify/thread_registry/registry.h"

namespace {

constexpr std::uint32_t kStops = 1;

bool is_stopped = false;
std::uint32_t steps = 0;

void* run(void*) {
  jackdaw::gc::ProcessThread& own = verify::begin_thread();
  verify::take_signals();
  {
    const jackdaw::gc::ThreadRegistry::CriticalSection section(own);
    CHECK(!is_stopped);
    ++steps;
  }
  verify::await_end_of_stops();
  CHECK(!is_stopped);
  return nullptr;
}

void* send(void*) {
  verify::send_signal(1);
  return nullptr;
}

[[gnu::noinline]] void stop() {
  CHECK(verify::stop_others() == 1);
  is_stopped = true;
  ++steps;
  is_stopped = false;
  verify::resume_others();
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  const verify::Thread sender = verify::start(send, nullptr);
  stop();
  verify::end_stops(1);
  verify::join(sender);
  verify::join(thread);
  CHECK(steps == kStops + 1);
  return 0;
}
