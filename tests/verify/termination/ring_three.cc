// Three workers: offers and steals by more than the one that has work and the one that waits.
#include "mark/termination/ring.h"
#include "tests/verify/termination/workers.h"

int main() {
  jackdaw::mark::BasicRingTerminator<verify::Parking, verify::NeverSleep> detector(3, {});
  verify::run_round<3, 3, false>(detector);
  return 0;
}
