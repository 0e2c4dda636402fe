// A worker that comes when the round has begun, or when it is over.
#include "mark/termination/counter.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicCounterTerminator<verify::Parking, verify::NeverSleep> detector({});
  verify::run_round<2, 2, false, 1>(detector);
  return 0;
}
