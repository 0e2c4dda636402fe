// A thread is stopped, goes on and is stopped again at once, in and out of a critical section: while it is
// stopped it does not run, the collector sees what it did before, and it sees what the collector did.
#include "tests/verify/thread_registry/registry.h"

namespace {

constexpr std::uint32_t kStops = 2;

// Written by the thread in its section, and by the collector while it is stopped.
std::uint32_t sections = 0;
bool is_stopped = false;

void* run(void*) {
  jackdaw::gc::ProcessThread& own = verify::begin_thread();
  verify::take_signals();
  {
    const jackdaw::gc::ThreadRegistry::CriticalSection section(own);
    CHECK(!is_stopped);
    ++sections;
  }
  CHECK(!is_stopped);
  verify::await_end_of_stops();
  CHECK(!is_stopped);
  return nullptr;
}

[[gnu::noinline]] void stop() {
  CHECK(verify::stop_others() == 1);
  is_stopped = true;
  sections += 2;
  verify::look_at_stacks();
  is_stopped = false;
  verify::resume_others();
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  stop();
  stop();
  verify::end_stops(1);
  verify::join(thread);
  CHECK(sections == 2 * kStops + 1);
  return 0;
}
