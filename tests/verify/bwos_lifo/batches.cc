// Batches: a thief that claims several tasks of a block with one compare-and-swap races with one that claims
// them singly and with the owner, which takes the block over and needs it again in the next round.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue> owner(queue);
  owner.push(3);
  const verify::Thread batches = verify::start(verify::steal_some<Queue, 2, 3>, &queue);
  const verify::Thread singles = verify::start(verify::steal<Queue, 2>, &queue);
  owner.pop(2);
  owner.push(3);
  owner.settle(verify::join(batches) + verify::join(singles), 3);
  return 0;
}
