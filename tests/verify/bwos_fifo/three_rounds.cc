// The paper's client with two thieves that steal once.
#include "tests/verify/bwos_fifo/bwos_fifo.h"

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue, verify::Order::oldest_first> owner(queue);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread other = verify::start_twin(verify::steal<Queue, 1>, &queue, once);
  owner.push(3);
  owner.pop(2);
  owner.push(2);
  owner.pop(1);
  owner.push(3);
  owner.pop(3);
  owner.settle(verify::join(once) + verify::join(other), 3);
  return 0;
}
