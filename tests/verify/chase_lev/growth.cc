// Growth: the array grows from one task to two and to four while thieves steal, one that has stolen from a
// smaller array among them. What was copied into the larger array must be there for a thief that knows of no
// push since.
#include "tests/verify/chase_lev/chase_lev.h"

int main() {
  Queue queue(1, 1);
  verify::Owner<Queue> owner(queue);
  owner.push(1);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  owner.push(2);
  owner.pop(1);
  owner.settle(verify::join(once) + verify::join(twice), 1);
  return 0;
}
