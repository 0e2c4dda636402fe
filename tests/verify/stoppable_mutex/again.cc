// One thread holds the mutex twice, and lets nobody pass in between, while another wants it.
#include "tests/verify/stoppable_mutex/mutex.h"

namespace {

void* hold(void*) {
  verify::hold_once();
  return nullptr;
}

}  // namespace

int main() {
  const verify::Thread other = verify::start(hold, nullptr);
  verify::mutex.lock();
  verify::mutex.let_nobody_pass();
  ++verify::holds;
  verify::mutex.unlock();
  verify::hold_once();
  verify::join(other);
  CHECK(verify::holds == 3);
  return 0;
}
