// Three workers: offers and steals by more than the one that has work and the one that waits.
#include "mark/termination/owst.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicOwstTerminator<verify::Parking, verify::NeverSleep> detector({});
  verify::run_round<3, 1, false>(detector);
  return 0;
}
