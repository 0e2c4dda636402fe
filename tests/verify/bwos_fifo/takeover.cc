// Takeover: the owner's gets come to the block in which thieves are claiming.
#include "tests/verify/bwos_fifo/bwos_fifo.h"

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue, verify::Order::oldest_first> owner(queue);
  owner.push(4);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread other = verify::start_twin(verify::steal<Queue, 1>, &queue, once);
  owner.pop(3);
  owner.push(1);
  owner.settle(verify::join(once) + verify::join(other), 3);
  return 0;
}
