// Wrap-around: the owner pushes on through three rounds of both blocks while thieves are slow in copying. A
// block whose thieves have not all finished must count as full, and never be written under their eyes.
#include "tests/verify/verify.h"

int main() {
  verify::Queue queue(2, 1);
  verify::Owner owner(queue, 2, 1);
  // Blocks of one: each push that succeeds grants a block and starts the next one's round.
  owner.push(2);
  const verify::Thread one = verify::start(verify::steal<2>, queue);
  const verify::Thread other = verify::start_twin(verify::steal<2>, queue, one);
  owner.push(3);
  owner.settle_by_stealing(verify::join(one) + verify::join(other));
  return 0;
}
