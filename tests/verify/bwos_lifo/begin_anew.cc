// The owner has nothing left and begins anew in the first slot, in a round of its own, while thieves hold
// words and the bottom of the one before: they must neither claim by those nor move the new bottom. The slots
// above were left in any state, one of them owned after a takeover.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(3, 1, 1, 1);
  verify::Owner<Queue> owner(queue);
  owner.push(3);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  // Takes over what the thieves leave, if anything, and begins anew if nothing is left.
  owner.pop(3);
  owner.push(3);
  owner.settle_by_stealing(verify::join(once) + verify::join(twice), 3);
  return 0;
}
