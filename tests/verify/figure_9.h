// The paper's client (Figure 9), for any queue: room for two blocks of two, an owner with three rounds of
// puts and gets, one thief that steals once and one that steals twice, and a final drain.
#pragma once

#include "tests/verify/queue_client.h"

namespace verify {

/// `room` is how many tasks must go into the queue when it is empty again.
template <typename Queue, Order kOrder>
void figure_9(Queue& queue, int room) {
  Owner<Queue, kOrder> owner(queue);
  const Thread once = start(steal<Queue, 1>, &queue);
  const Thread twice = start(steal<Queue, 2>, &queue);
  // Five puts reach into the second round of the first block; each round of gets crosses into another block.
  owner.push(3);
  owner.pop(2);
  owner.push(2);
  owner.pop(1);
  owner.push(3);
  owner.pop(3);
  owner.settle(join(once) + join(twice), room);
}

}  // namespace verify
