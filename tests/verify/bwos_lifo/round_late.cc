// A thief pauses, with a block in view, until another has taken that and the next, and the owner has filled
// the same slot in its next round. There are older tasks on offer then: the thief must not claim by what it
// saw, nor take what it finds in the slot for what it looked for.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(3, 1);
  verify::Owner<Queue> owner(queue);
  owner.push(3);
  const verify::Thread late = verify::start(verify::steal<Queue, 1>, &queue);
  // What the other one takes: how it and the owner meet is for other clients.
  const verify::Sum stolen = verify::number(verify::steal<Queue, 2>(&queue));
  owner.push(2);
  owner.settle_by_stealing(stolen + verify::join(late), 3);
  return 0;
}
