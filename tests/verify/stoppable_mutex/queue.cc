// Two threads come while a third holds the mutex, and queue, or one does and the other passes it: each gets
// the mutex, sees what was done by those that held it before, and nobody is left asleep.
#include "tests/verify/stoppable_mutex/mutex.h"

namespace {

void* hold(void*) {
  verify::hold_once();
  return nullptr;
}

}  // namespace

int main() {
  verify::mutex.lock();
  const verify::Thread first = verify::start(hold, nullptr);
  const verify::Thread second = verify::start_twin(hold, nullptr, first);
  ++verify::holds;
  verify::mutex.unlock();
  verify::join(first);
  verify::join(second);
  CHECK(verify::holds == 3);
  return 0;
}
