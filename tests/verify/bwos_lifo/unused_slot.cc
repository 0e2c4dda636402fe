// Rounds wrap around when the owner begins anew, and a slot is used for the first time after that, of which a
// thief may still see that all its bytes are zero: it must not take the slot for one that is done.
#include "tests/verify/bwos_lifo/bwos_lifo.h"

int main() {
  Queue queue(4, 1, 0xffffffff, 1);
  verify::Owner<Queue> owner(queue);
  owner.push(2);
  verify::Sum stolen = verify::number(verify::steal<Queue, 1>(&queue));
  owner.pop(2);
  const verify::Thread late = verify::start(verify::steal<Queue, 1>, &queue);
  owner.push(3);
  stolen += verify::number(verify::steal<Queue, 2>(&queue));
  owner.push(1);
  owner.settle_by_stealing(stolen + verify::join(late), 3);
  return 0;
}
