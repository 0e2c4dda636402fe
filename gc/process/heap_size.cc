#include "gc/process/heap_size.h"

#include <algorithm>
#include <mutex>

namespace jackdaw::gc {

bool HeapSize::expand(std::size_t bytes) {
  ProcessThread& thread = threads_.this_thread();
  const std::lock_guard lock(lock_);
  lock_.let_nobody_pass();
  const std::uint64_t wanted = heap_.bytes() + bytes;
  bool has_grown = false;
  {
    const ThreadRegistry::CriticalSection critical(thread);
    has_grown = wanted >= bytes && heap_.expand_to(wanted);
  }
  tell_of_taken();
  if (!has_grown) return false;
  plan_.growth().minimum_heap_bytes = std::max(plan_.growth().minimum_heap_bytes, wanted);
  plan_.apply_growth();
  tell();
  return true;
}

void HeapSize::set_maximum(std::size_t bytes) {
  ProcessThread& thread = threads_.this_thread();
  const NestedLock lock(lock_);
  const ThreadRegistry::CriticalSection critical(thread);
  limit_.set_maximum(bytes);
  plan_.forget_refusals();
}

void HeapSize::release_free_memory() {
  ProcessThread& thread = threads_.this_thread();
  const std::lock_guard lock(lock_);
  lock_.let_nobody_pass();
  {
    const ThreadRegistry::CriticalSection critical(thread);
    heap_.release_free_memory();
    heap_.release_free_pages();
  }
  tell();
}

void HeapSize::tell_of_all_taken() {
  ProcessThread& thread = threads_.this_thread();
  const NestedLock lock(lock_);
  const auto take = [&] {
    const ThreadRegistry::CriticalSection critical(thread);
    return heap_.take_note_of_taken();
  };
  while (const auto taken = take())
    if (hooks_.memory_taken != nullptr) hooks_.memory_taken(taken->start, taken->bytes);
}

void HeapSize::tell() {
  const std::uint64_t bytes = heap_.bytes();
  if (bytes == told_bytes_) return;
  told_bytes_ = bytes;
  if (hooks_.heap_resized != nullptr) hooks_.heap_resized(bytes);
}

}  // namespace jackdaw::gc
