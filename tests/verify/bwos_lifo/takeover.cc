// Takeover against two thieves in the same block: the owner comes down for the block while both race for its
// last entries, goes up again, and comes down once more, so that takeovers meet a full, a half and an empty
// block.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue> owner(queue);
  owner.push(3);
  const verify::Thread one = verify::start(verify::steal<Queue, 2>, &queue);
  const verify::Thread other = verify::start_twin(verify::steal<Queue, 2>, &queue, one);
  // The first pop empties the top block; the second takes over the block that the thieves are in.
  owner.pop(2);
  owner.push(2);
  owner.pop(3);
  owner.settle(verify::join(one) + verify::join(other), 3);
  return 0;
}
