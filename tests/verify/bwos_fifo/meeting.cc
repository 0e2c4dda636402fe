// Puts and steals meet in the back block: thieves claim entries while the owner puts the next ones beside
// them.
#include "tests/verify/bwos_fifo/bwos_fifo.h"

int main() {
  Queue queue(2, 3);
  verify::Owner<Queue, verify::Order::oldest_first> owner(queue);
  owner.push(3);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  owner.push(3);
  owner.settle(verify::join(once) + verify::join(twice), 4);
  return 0;
}
