// Tasks that a full queue has no room for wait in the overflow list and go back to the queue while thieves
// empty it: as a worker does it, newest first, the list before the queue.
#include "mark/overflow_list.h"

#include <cstddef>

#include "mark/queue/bwos_lifo.h"
#include "tests/verify/queue_client.h"

namespace {

using Queue = jackdaw::mark::BwosLifo<verify::Task>;
// One task a segment, so that two tasks are two segments.
using Overflow = jackdaw::mark::OverflowList<verify::Task, 1>;

}  // namespace

int main() {
  Queue queue(2, 1);
  Overflow overflow;
  verify::Sum put = 0;
  verify::Sum got = 0;
  const auto push = [&](std::size_t number) {
    const verify::Task task = verify::Task{1} << (4 * number);
    verify::pointees[number] = task;
    put += task;
    if (!queue.push(task)) CHECK(overflow.push(task));
  };
  const auto pop = [&] {
    verify::Task task;
    if (!overflow.pop(task) && !queue.pop(task)) return false;
    got += task;
    return true;
  };

  push(0);
  push(1);
  const verify::Thread once = verify::start(verify::steal<Queue, 1, verify::StealOrder::any>, &queue);
  const verify::Thread twice = verify::start(verify::steal<Queue, 2, verify::StealOrder::any>, &queue);
  push(2);
  push(3);
  overflow.hand_back(queue, 2);
  pop();
  overflow.hand_back(queue, 2);
  const verify::Sum stolen = verify::join(once) + verify::join(twice);
  while (pop()) {
  }
  CHECK(overflow.empty());
  CHECK(got + stolen == put);
  overflow.release_memory();
  return 0;
}
