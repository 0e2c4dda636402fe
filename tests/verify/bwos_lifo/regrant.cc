// ABA: the owner takes a block over, replaces what is in it and grants it again with the very same word,
// while a thief still holds the word that it read before. The thief's claim may then succeed, and must bring
// the new task.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue> owner(queue);
  owner.push(3);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  for (int i = 0; i < 2; ++i) {
    // Down into the lower block for all of it, and up again with other tasks.
    owner.pop(3);
    owner.push(3);
  }
  owner.settle_by_stealing(verify::join(once) + verify::join(twice), 3);
  return 0;
}
