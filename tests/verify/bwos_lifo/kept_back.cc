// An early grant of several tasks: the older half is for thieves, the newer for the owner, each in its order.
// Then blocks of more than one piece are filled, and one of them again in its next round.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(2, 4);
  verify::Owner<Queue> owner(queue);
  owner.push(4);
  owner.grant_early();
  const verify::Thread thief = verify::start(verify::steal_some<Queue, 1, 4>, &queue);
  // Two are the owner's; for the third it competes with the thief.
  owner.pop(3);
  const verify::Sum stolen = verify::join(thief);
  CHECK(stolen == 0 || stolen == 0x11);
  // The whole queue is free when the thief took its half, and is full in any case.
  for (int i = 0; i < 8; ++i) CHECK(owner.push() || stolen == 0);
  CHECK(!owner.grant_early());
  owner.settle(stolen, 5);
  return 0;
}
