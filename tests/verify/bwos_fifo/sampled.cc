// Stealing from a sampled block: a thief that names the block, whatever its round, and claims several at
// once, beside one that starts from the bottom.
#include "tests/verify/bwos_fifo/bwos_fifo.h"

namespace {

void* steal_sampled(void* argument) {
  auto& queue = *static_cast<Queue*>(argument);
  verify::Sum stolen = 0;
  std::array<verify::Task, 2> room;
  for (std::uint64_t sample = 0; sample < 2; ++sample) {
    const jackdaw::mark::BatchSteal batch = queue.steal_some_sampled(sample, room);
    // The second block may be the older one.
    for (std::size_t at = 0; at < batch.count; ++at) {
      verify::take_into<verify::StealOrder::any>(stolen, room[at]);
    }
  }
  return verify::result(stolen);
}

}  // namespace

int main() {
  Queue queue(2, 2);
  verify::Owner<Queue, verify::Order::oldest_first> owner(queue);
  owner.push(4);
  const verify::Thread sampled = verify::start(steal_sampled, &queue);
  const verify::Thread single = verify::start(verify::steal<Queue, 1>, &queue);
  owner.pop(2);
  owner.push(2);
  owner.settle(verify::join(sampled) + verify::join(single), 3);
  return 0;
}
