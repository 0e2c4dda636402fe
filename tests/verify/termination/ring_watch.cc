// Two workers, of which the idle one looks for work till the end.
#include "mark/termination/ring.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicRingTerminator<verify::Parking, verify::NeverSleep> detector(2, {});
  verify::run_round<2, 3, false>(detector);
  return 0;
}
