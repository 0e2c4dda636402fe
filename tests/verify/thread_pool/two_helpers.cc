// Two helpers are woken ahead, one by the other, of which a job takes both.
#include "tests/verify/thread_pool/pool.h"

namespace {

std::array<std::uint32_t, 3> runs;

}  // namespace

int main() {
  jackdaw::mark::ThreadPool pool(3);
  pool.wake_ahead(2);
  pool.run([](std::uint32_t worker) { ++runs[worker]; });
  for (const std::uint32_t times : runs) CHECK(times == 1);
  return 0;
}
