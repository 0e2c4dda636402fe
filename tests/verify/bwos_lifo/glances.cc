// Bystanders: threads that only look (has_stealable, looks_stealable), and so move the bottom, while a thief
// steals, and the owner takes over, grants, goes round and looks too (offers_tasks).
#include "tests/verify/bwos_lifo/bwos_lifo.h"

namespace {

void* look(void* argument) {
  auto& queue = *static_cast<Queue*>(argument);
  std::uint64_t seen = 0;
  seen += queue.has_stealable() ? 1 : 0;
  seen += queue.looks_stealable(0) ? 1 : 0;
  seen += queue.has_stealable() ? 1 : 0;
  return verify::result(seen);
}

}  // namespace

int main() {
  Queue queue(2, 1);
  verify::Owner<Queue> owner(queue);
  owner.push(2);
  const verify::Thread thief = verify::start(verify::steal<Queue, 2>, &queue);
  const verify::Thread watcher = verify::start(look, &queue);
  owner.push(1);
  (void)queue.offers_tasks();
  owner.pop(2);
  owner.push(2);
  const verify::Sum stolen = verify::join(thief);
  verify::join(watcher);
  owner.settle_by_stealing(stolen, 2);
  return 0;
}
