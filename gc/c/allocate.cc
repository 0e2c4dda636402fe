#include "gc/c/allocate.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>

#include "gc/c/after_collection.h"
#include "gc/c/log.h"
#include "gc/c/settings.h"
#include "gc/process/threads/own_work.h"
#include "heap/layout.h"

namespace jackdaw::c_interface {

// A program may go on asking: the first refusals are told of, and of further ones ever fewer.
void* out_of_memory(std::size_t bytes) {
  static constinit std::atomic<std::uint64_t> refusals{0};
  // Relaxed: a number that publishes nothing.
  if (std::has_single_bit(refusals.fetch_add(1, std::memory_order_relaxed) + 1))
    warn("jackdaw: out of memory: there is no room for an object of %lu bytes", bytes);
  return GC_oom_fn(bytes);
}

std::size_t whole_bytes(std::size_t bytes) {
  const std::size_t most = std::numeric_limits<std::size_t>::max() - heap::kGranuleBytes;
  if (bytes > most) return 0;
  return (bytes + extra_bytes + heap::kGranuleBytes - 1) & ~(heap::kGranuleBytes - 1);
}

namespace {

// An object that the collector finds, or null.
void* ask_collector(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses) {
  if (gc::OwnWork::is_under_way()) return gc::OwnMemory::allocate(bytes);
  gc::ProcessCollector& collector = c_interface::collector();
  const std::size_t whole = whole_bytes(bytes);
  if (whole < bytes) return nullptr;
  void* object = nullptr;
  try {
    object = collector.allocate(whole, kind, addresses);
  } catch (const std::bad_alloc&) {  // the thread could not be registered
    return nullptr;
  }
  // A callback that runs with the lock held leaves that to others.
  if (!collector.lock().is_held_by_caller()) attend_to_dead();
  GC_reachable_here(object);
  return object;
}

[[gnu::noinline]] void* ask_or_report(std::size_t bytes, heap::KindNumber kind,
                                      heap::LargeAddresses addresses) {
  void* const object = ask_collector(bytes, kind, addresses);
  return object != nullptr ? object : out_of_memory(bytes);
}

}  // namespace

void* allocate_from_block(std::size_t bytes, heap::KindNumber kind) {
  // Another thread may be setting extra_bytes, at the start, as long as this one is not registered.
  if (bytes >= heap::kLargestSmallBytes || gc::ThreadRegistry::current() == nullptr) return nullptr;
  return gc::ProcessCollector::allocate_from_block(bytes + extra_bytes, kind);
}

void* try_allocate(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses) {
  if (void* const object = allocate_from_run(bytes, kind)) return object;
  void* const object = allocate_from_block(bytes, kind);
  return object != nullptr ? object : ask_collector(bytes, kind, addresses);
}

void* allocate_or_report(std::size_t bytes, heap::KindNumber kind, heap::LargeAddresses addresses) {
  void* const object = allocate_from_block(bytes, kind);
  return object != nullptr ? object : ask_or_report(bytes, kind, addresses);
}

}  // namespace jackdaw::c_interface
