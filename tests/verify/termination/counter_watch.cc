// Two workers, of which the idle one looks for work till the end.
#include "mark/termination/counter.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicCounterTerminator<verify::Parking, verify::NeverSleep> detector({});
  verify::run_round<2, 3, true>(detector);
  return 0;
}
