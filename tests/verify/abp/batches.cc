// Batches: a thief that claims one task after another races with one that claims once and with the owner,
// which takes the tasks from the other end.
#include "tests/verify/abp/abp.h"

int main() {
  Queue queue(1, 3);
  verify::Owner<Queue> owner(queue);
  owner.push(3);
  const verify::Thread batches = verify::start(verify::steal_some<Queue, 1, 2>, &queue);
  const verify::Thread single = verify::start(verify::steal<Queue, 1>, &queue);
  owner.pop(2);
  owner.push(1);
  owner.pop(1);
  owner.settle(verify::join(batches) + verify::join(single), 3);
  return 0;
}
