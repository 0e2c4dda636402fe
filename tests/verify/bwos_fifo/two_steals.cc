// The paper's thieves, one of which steals twice, and two rounds of puts and gets.
#include "tests/verify/bwos_fifo/bwos_fifo.h"

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue, verify::Order::oldest_first> owner(queue);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  owner.push(3);
  owner.pop(2);
  owner.push(2);
  owner.pop(2);
  owner.settle(verify::join(once) + verify::join(twice), 3);
  return 0;
}
