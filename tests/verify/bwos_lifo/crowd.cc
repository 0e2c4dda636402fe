// One thief more than the paper's client has, so that two claims can fail for one that succeeds, and a count
// is carried on by three threads.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue> owner(queue);
  const verify::Thread first = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread second = verify::start_twin(verify::steal<Queue, 1>, &queue, first);
  const verify::Thread third = verify::start_twin(verify::steal<Queue, 1>, &queue, second);
  owner.push(3);
  owner.pop(2);
  owner.push(3);
  owner.pop(1);
  owner.push(2);
  owner.settle(verify::join(first) + verify::join(second) + verify::join(third), 3);
  return 0;
}
