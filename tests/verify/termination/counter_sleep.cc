// Two workers, of which the idle one sleeps after its first look for work.
#include "mark/termination/counter.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicCounterTerminator<verify::Parking, verify::SleepAtOnce> detector({});
  verify::run_round<2, 2, true>(detector);
  return 0;
}
