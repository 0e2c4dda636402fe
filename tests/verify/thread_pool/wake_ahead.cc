// A helper is woken for the job to come, and the job is given to it, awake or on its way: each worker runs it
// once, and its caller sees what was done. Then the pool ends.
#include "tests/verify/thread_pool/pool.h"

namespace {

std::array<std::uint32_t, 2> runs;

}  // namespace

int main() {
  jackdaw::mark::ThreadPool pool(2);
  pool.wake_ahead(1);
  pool.run([](std::uint32_t worker) { ++runs[worker]; });
  CHECK(runs[0] == 1);
  CHECK(runs[1] == 1);
  return 0;
}
