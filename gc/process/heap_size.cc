#include "gc/process/heap_size.h"

#include <algorithm>
#include <mutex>

namespace jackdaw::gc {

bool HeapSize::expand(std::size_t bytes) {
  ProcessThread& thread = threads_.this_thread();
  const std::lock_guard lock(lock_);
  lock_.let_nobody_pass();
  const ThreadRegistry::CriticalSection critical(thread);
  const std::uint64_t wanted = heap_.bytes() + bytes;
  if (wanted < bytes || !heap_.expand_to(wanted)) return false;
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

void HeapSize::tell() {
  const std::uint64_t bytes = heap_.bytes();
  if (bytes == told_bytes_) return;
  told_bytes_ = bytes;
  if (hooks_.heap_resized != nullptr) hooks_.heap_resized(bytes);
}

}  // namespace jackdaw::gc
