// Two workers, of which the idle one looks for work till the end.
#include "mark/termination/owst.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicOwstTerminator<verify::Parking, verify::NeverSleep> detector({});
  verify::run_round<2, 2, true>(detector);
  return 0;
}
