#include "gc/process/process_counters.h"

#include "heap/layout.h"

namespace jackdaw::gc {

namespace {

// Bytes that a thread has freed since the collection with that number and not reported yet.
struct Untold {
  std::uint64_t bytes;
  std::uint64_t collection;

  // Returns the bytes, which a new collection sets to zero.
  std::uint64_t& since(std::uint64_t last_collection) {
    if (collection != last_collection) *this = {0, last_collection};
    return bytes;
  }
};
constinit thread_local Untold untold{};

}  // namespace

void ProcessCounters::count_freed(std::uint64_t bytes) {
  std::uint64_t& own = untold.since(collections());
  own += bytes;
  if (own < heap::kBlockBytes) return;
  freed_bytes_.fetch_add(own, std::memory_order_relaxed);
  own = 0;
}

std::uint64_t ProcessCounters::freed_bytes() const {
  return freed_bytes_.load(std::memory_order_relaxed) + untold.since(collections());
}

std::uint64_t ProcessCounters::note_collection(std::uint64_t live_bytes, std::uint64_t allocated_bytes) {
  live_bytes_.store(live_bytes, std::memory_order_relaxed);
  bytes_before_.store(allocated_bytes, std::memory_order_relaxed);
  const std::uint64_t number = collections_.fetch_add(1, std::memory_order_relaxed) + 1;
  freed_bytes_.store(0, std::memory_order_relaxed);
  return number;
}

}  // namespace jackdaw::gc
