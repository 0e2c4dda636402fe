// An owner that overwrites an entry whatever became of the task that was there: a thief may still be reading
// it.
#include "tests/verify/chase_lev/chase_lev.h"

int main() {
  Queue queue(1, 1);
  verify::Owner<Queue> owner(queue);
  const verify::Thread thief = verify::start(verify::steal<Queue, 1>, &queue);
  owner.push();
  owner.pop_unheeded();
  owner.push();
  owner.settle(verify::join(thief), 1);
  return 0;
}
