// The schedule by which another library's queue of this kind lost tasks (NVIDIA/stdexec, issue 1755): a thief
// sees that a block is done and pauses before it moves the bottom; meanwhile the owner takes the next block
// over, empties it, fills it again and goes on beyond it. The thief comes to a block that the owner has, or
// had, and must not pass it before it is done. That block is the ring's last, and the top in the next round.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(3, 1);
  verify::Owner<Queue> owner(queue);
  owner.push(3);
  // Makes room in the ring's first block.
  const verify::Sum stolen = verify::number(verify::steal<Queue, 1>(&queue));
  owner.push(1);
  const verify::Thread thief = verify::start(verify::steal<Queue, 2>, &queue);
  // Down into the block above the one that the thief is in, and up into the thief's, if that is done.
  owner.pop(2);
  owner.push(3);
  owner.settle_by_stealing(stolen + verify::join(thief), 3);
  return 0;
}
