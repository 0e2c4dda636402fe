// The paper's client cut down to two rounds of puts and gets.
#include "tests/verify/abp/abp.h"

int main() {
  Queue queue(1, 2);
  verify::Owner<Queue> owner(queue);
  const verify::Thread once = verify::start(verify::steal<Queue, 1>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2>, &queue);
  owner.push(2);
  owner.pop(1);
  owner.push(1);
  owner.pop(2);
  owner.settle(verify::join(once) + verify::join(twice), 2);
  return 0;
}
