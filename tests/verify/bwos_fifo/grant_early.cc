// Early grants: the owner moves tasks from its front block to the back one, where thieves claim them.
#include "tests/verify/bwos_fifo/bwos_fifo.h"

int main() {
  Queue queue(2, 3);
  verify::Owner<Queue, verify::Order::oldest_first> owner(queue);
  owner.push(3);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread other = verify::start_twin(verify::steal<Queue, 1>, &queue, once);
  owner.grant_early();
  owner.pop(2);
  owner.push(2);
  owner.grant_early();
  owner.settle(verify::join(once) + verify::join(other), 4);
  return 0;
}
