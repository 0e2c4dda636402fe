// Functions whose disassembly check_fast_path reads: the owner's fast path of the block queues, which must
// hold no barrier but the release of the FIFO queue's push, and functions in which the check must find
// something, or it would pass for want of looking.
#include <atomic>
#include <cstdint>

#include "bench/queues/bwos_fifo.h"
#include "mark/queue/bwos_lifo.h"

namespace {

using Fifo = jackdaw::bench::BwosFifo<std::uint64_t>;
using Lifo = jackdaw::mark::BwosLifo<std::uint64_t>;

// A stack that shows its owner's position to all threads, as queues do that thieves may enter at any moment.
struct PublishingStack {
  std::uint64_t* entries;
  std::atomic<std::uint64_t> size;
};

}  // namespace

extern "C" {

bool lifo_push(Lifo& queue, std::uint64_t task) { return queue.push(task); }

bool lifo_pop(Lifo& queue, std::uint64_t& task) { return queue.pop(task); }

// To be found: one release, which is all that thieves in its block cost the owner.
bool fifo_push(Fifo& queue, std::uint64_t task) { return queue.push(task); }

bool fifo_pop(Fifo& queue, std::uint64_t& task) { return queue.pop(task); }

// To be found: the claim's acquire, however the compiler spells a compare-and-swap.
bool lifo_steal(Lifo& queue, std::uint64_t& task) {
  return queue.steal(task) == jackdaw::mark::StealOutcome::taken;
}

// To be found: the acquire. It pairs with nothing, as this is never run.
std::uint64_t acquiring_size(const PublishingStack& stack) {
  return stack.size.load(std::memory_order_acquire);
}

// To be found: the barrier. Sequentially consistent: what a queue needs whose owner and thieves meet at one
// entry.
std::uint64_t fencing_pop(PublishingStack& stack) {
  // Relaxed, all: the fence between them is what the disassembly has to show.
  const std::uint64_t size = stack.size.load(std::memory_order_relaxed) - 1;
  stack.size.store(size, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return stack.size.load(std::memory_order_relaxed) == size ? stack.entries[size] : 0;
}

// A slow path that always_slow_push() takes every time.
[[gnu::noinline]] void slow_path(PublishingStack& stack) {
  // Relaxed: nothing is published.
  stack.size.store(0, std::memory_order_relaxed);
}

// To be found: no way to push that spares the slow path, though there is one to refuse.
std::uint64_t always_slow_push(PublishingStack& stack, std::uint64_t task) {
  if (stack.entries == nullptr) return 0;
  slow_path(stack);
  stack.entries[0] = task;
  return task;
}

}  // extern "C"
