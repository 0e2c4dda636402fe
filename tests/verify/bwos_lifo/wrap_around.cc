// Wrap-around: the owner pushes on into the third round of the blocks while thieves are slow in copying. A
// block whose thieves have not all finished must count as full, and never be written under their eyes. The
// rounds' numbers wrap around as well: a thief that was left behind by a round must see that it was.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(2, 1, 0xffffffff);
  verify::Owner<Queue> owner(queue);
  // Blocks of one: each push that succeeds grants a block and starts the next one's round.
  owner.push(2);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  // Three steals let the owner into the third round; with fewer it is full before.
  owner.push(4);
  owner.settle_by_stealing(verify::join(once) + verify::join(twice), 2);
  return 0;
}
