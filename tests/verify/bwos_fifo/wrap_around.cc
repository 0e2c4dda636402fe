// Wrap-around: blocks are needed again, round after round, while thieves are slow in copying.
#include "tests/verify/bwos_fifo/bwos_fifo.h"

int main() {
  Queue queue(2, 1);
  verify::Owner<Queue, verify::Order::oldest_first> owner(queue);
  owner.push(2);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  owner.push(2);
  owner.pop(1);
  owner.push(2);
  owner.settle(verify::join(once) + verify::join(twice), 2);
  return 0;
}
