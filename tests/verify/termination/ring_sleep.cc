// Two workers, of which the idle one sleeps after its first look for work.
#include "mark/termination/ring.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicRingTerminator<verify::Parking, verify::SleepAtOnce> detector(2, {});
  verify::run_round<2, 2, true>(detector);
  return 0;
}
