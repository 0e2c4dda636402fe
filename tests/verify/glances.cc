// Bystanders: threads that only look (has_stealable, looks_stealable), and so move the bottom, while a thief
// steals, and the owner takes over, grants, goes round and looks too (offers_tasks).
#include "tests/verify/verify.h"

namespace {

void* look(void* argument) {
  auto& queue = *static_cast<verify::Queue*>(argument);
  verify::Sum seen = 0;
  seen += queue.has_stealable() ? 1 : 0;
  seen += queue.looks_stealable(0) ? 1 : 0;
  seen += queue.has_stealable() ? 1 : 0;
  return reinterpret_cast<void*>(seen);
}

}  // namespace

int main() {
  verify::Queue queue(2, 1);
  verify::Owner owner(queue, 2, 1);
  owner.push(2);
  const verify::Thread thief = verify::start(verify::steal<2>, queue);
  const verify::Thread watcher = verify::start(look, queue);
  owner.push(1);
  (void)queue.offers_tasks();
  owner.pop(2);
  owner.push(2);
  const verify::Sum stolen = verify::join(thief);
  verify::join(watcher);
  owner.settle_by_stealing(stolen);
  return 0;
}
