// The last task: the owner and two thieves compete for it, again and again; each time the owner starts anew
// at the beginning of the array, with the next tag, while a thief may hold an age from before (ABA).
#include "tests/verify/abp/abp.h"

int main() {
  Queue queue(1, 2);
  verify::Owner<Queue> owner(queue);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread other = verify::start_twin(verify::steal<Queue, 1>, &queue, once);
  for (int i = 0; i < 3; ++i) {
    owner.push(1);
    owner.pop(1);
  }
  owner.settle(verify::join(once) + verify::join(other), 2);
  return 0;
}
