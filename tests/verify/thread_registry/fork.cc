// A thread enters a critical section while another forks, for which it is stopped: meanwhile it is in no
// section, though it runs on, and afterwards it gets in.
#include "tests/verify/thread_registry/registry.h"

namespace {

std::uint32_t sections = 0;

void* run(void*) {
  jackdaw::gc::ProcessThread& own = verify::begin_thread();
  {
    const jackdaw::gc::ThreadRegistry::CriticalSection section(own);
    ++sections;
  }
  verify::await_end_of_stops();
  return nullptr;
}

}  // namespace

int main() {
  verify::make_registry(1);
  const verify::Thread thread = verify::start(run, nullptr);
  verify::registry->prepare_fork();
  CHECK(sections <= 1);
  verify::registry->after_fork_in_parent();
  verify::end_stops(1);
  verify::join(thread);
  CHECK(sections == 1);
  return 0;
}
