// Early grants: blocks granted partly filled, taken over after that, granted again with another limit, and
// reused in the next round, whose start depends on the last limit and not on the block's size.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(2, 3);
  verify::Owner<Queue> owner(queue);
  const verify::Thread one = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread other = verify::start(verify::steal<Queue, 2>, &queue);
  // Three: the older two are granted, the newest goes on in the next block.
  owner.push(3);
  owner.grant_early();
  // Comes down into the partly filled block unless the thieves have emptied it.
  owner.pop(2);
  owner.push(2);
  // Grants the same block again with another limit, or begins the next round in the other one.
  owner.grant_early();
  owner.push(3);
  owner.settle(verify::join(one) + verify::join(other), 4);
  return 0;
}
