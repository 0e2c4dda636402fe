// After the paper's Figure 9: two blocks of two, an owner with three rounds of puts and gets, one thief that
// steals once and one that steals twice.
#include "tests/verify/verify.h"

int main() {
  verify::Queue queue(2, 2);
  verify::Owner owner(queue, 2, 2);
  const verify::Thread once = verify::start(verify::steal<1>, queue);
  const verify::Thread twice = verify::start(verify::steal<2>, queue);
  // Five puts reach into the second round of the first block; each round of gets goes down a block.
  owner.push(3);
  owner.pop(2);
  owner.push(2);
  owner.pop(1);
  owner.push(3);
  owner.pop(3);
  owner.settle(verify::join(once) + verify::join(twice));
  return 0;
}
