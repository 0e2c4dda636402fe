// The helper that was woken ahead may sleep again before its job comes, as its time has run out; and after a
// job it is woken for another, which is begun on one thread and calls the helper from within. Who is not
// there in time does without the second job.
#include "tests/verify/thread_pool/pool.h"

namespace {

std::array<std::uint32_t, 2> runs;

}  // namespace

int main() {
  verify::has_time_run_out = true;
  jackdaw::mark::ThreadPool pool(2);
  pool.wake_ahead(1);
  pool.run([](std::uint32_t worker) { ++runs[worker]; });
  pool.run_on_call([&pool](std::uint32_t worker) {
    ++runs[worker];
    if (worker == 0 && runs[0] == 2) pool.call(1);
  });
  CHECK(runs[0] == 2);
  CHECK(runs[1] == 1 || runs[1] == 2);
  return 0;
}
