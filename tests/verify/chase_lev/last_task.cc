// The last task: the owner and two thieves compete for it, again and again.
#include "tests/verify/chase_lev/chase_lev.h"

int main() {
  Queue queue(1, 2);
  verify::Owner<Queue> owner(queue);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread other = verify::start_twin(verify::steal<Queue, 1>, &queue, once);
  for (int i = 0; i < 3; ++i) {
    owner.push(1);
    owner.pop(1);
  }
  owner.settle(verify::join(once) + verify::join(other), 1);
  return 0;
}
