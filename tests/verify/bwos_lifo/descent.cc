// Three blocks: the owner comes down several blocks in a row and goes up again, across the ring's end, while
// thieves empty it from below. The round, not the place in the ring, must tell what lies beneath the owner.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(3, 1);
  verify::Owner<Queue> owner(queue);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  // The fourth task needs the first block again.
  owner.push(4);
  owner.pop(3);
  owner.push(3);
  owner.pop(1);
  owner.settle_by_stealing(verify::join(once) + verify::join(twice), 3);
  return 0;
}
