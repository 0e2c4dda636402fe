#include "gc/process/heap_limit.h"

#include <algorithm>

#include "base/system_call_filter.h"
#include "heap/layout.h"

namespace jackdaw::gc {

namespace {

// Returns the most by which the heap grows for an allocation of `bytes` bytes in the shortest chunk.
std::uint64_t growth_for(std::size_t bytes) {
  return std::max<std::uint64_t>(bytes + heap::kBlockBytes, heap::kShortestChunkBytes);
}

}  // namespace

HeapLimit::HeapLimit(const ProcessOptions& options, heap::Heap& heap)
    : heap_(heap), starts_filtered_(base::has_system_call_filter()), maximum_(options.heap_limit_bytes) {
  if (!options.fits_memory) return;
  memory_.emplace(options.kernel_folders, options.memory_share);
  // A limit of the program's own may be near even where the heap is small.
  constexpr std::uint64_t kParts = 4;
  heap_.budget().watch(std::min(kSmallHeapBytes, options.memory_share.process_bytes / kParts));
}

void HeapLimit::set_maximum(std::size_t bytes) {
  maximum_ = bytes;
  heap_.set_limit(std::min(maximum_, left_by_system_));
}

bool HeapLimit::is_due(std::size_t bytes) const {
  return heap_.budget().is_watched(heap_bytes() + growth_for(bytes));
}

void HeapLimit::look(std::size_t bytes) {
  read(machine::Left::at_ease, bytes);
  looks_.store(looks() + 1, std::memory_order_relaxed);
}

void HeapLimit::look_after_collection() {
  if (is_near_ && read(machine::Left::at_ease, 0).is_passed()) heap_.release_free_memory();
}

bool HeapLimit::look_at_last(std::size_t bytes) {
  if (left_by_system_ == kUnlimited) return false;
  const std::uint64_t before = heap_.limit();
  read(machine::Left::at_last, bytes);
  return heap_.limit() > before;
}

HeapBounds HeapLimit::read(machine::Left left, std::size_t bytes) {
  HeapBounds bounds(heap_bytes(), left);
  // A filter that the program has installed may end it when a file is opened.
  if (!starts_filtered_ && base::has_system_call_filter()) memory_.reset();
  if (memory_) memory_->for_each(left, [&](const machine::MemoryRoom& room) { bounds.add(room); });
  left_by_system_ = bounds.limit();
  is_near_ = bounds.is_near();
  set_maximum(maximum_);
  heap_.budget().watch(bounds.watch(growth_for(bytes)));
  return bounds;
}

}  // namespace jackdaw::gc
