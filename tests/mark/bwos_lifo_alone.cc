// Compiles the queue's header with nothing before it, and all of its functions, for 2 blocks of 2 entries.
#include "mark/queue/bwos_lifo.h"

template class jackdaw::mark::BwosLifo<unsigned>;

bool pushes_into_a_tiny_queue() {
  jackdaw::mark::BwosLifo<unsigned> queue(2, 2);
  return queue.push(1);
}
