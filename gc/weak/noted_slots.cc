#include "gc/weak/noted_slots.h"

#include <new>
#include <span>

#include "base/check.h"
#include "base/page_memory.h"

namespace jackdaw::gc {

constinit thread_local std::array<NotedSlots::Cursor, NotedSlots::kKinds> NotedSlots::cursors_{};
std::atomic<std::uint64_t> NotedSlots::last_epoch_{0};

NotedSlots::~NotedSlots() {
  unmap(filled_);
  unmap(free_);
  unmap(emptied_);
}

void NotedSlots::unmap(Segment* list) {
  while (Segment* const segment = pop(list)) {
    segment->~Segment();
    base::PageMemory::release({reinterpret_cast<std::byte*>(segment), sizeof(Segment)});
  }
}

NotedSlots::Segment* NotedSlots::pop(Segment*& list) {
  Segment* const segment = list;
  if (segment != nullptr) list = segment->next;
  return segment;
}

void NotedSlots::push(Segment*& list, Segment* segment) {
  segment->next = list;
  list = segment;
}

bool NotedSlots::begin_segment(Cursor& cursor) {
  const std::lock_guard lock(mutex_);
  Segment* segment = pop(free_);
  if (segment == nullptr) {
    const std::span<std::byte> memory = base::PageMemory::allocate(sizeof(Segment));
    if (memory.empty()) return false;
    segment = new (memory.data()) Segment;
  }
  JACKDAW_CHECK(segment->count == 0);
  push(filled_, segment);
  cursor = {epoch_, segment};
  return true;
}

void* NotedSlots::take() {
  if (emptied_ == nullptr) {
    if (filled_ == nullptr) return nullptr;
    emptied_ = filled_;
    filled_ = nullptr;
    epoch_ = new_epoch();
  }
  // Each segment has at least one slot.
  JACKDAW_CHECK(emptied_->count != 0 && emptied_->count <= Segment::kCapacity);
  void* const slot = emptied_->slots[--emptied_->count];
  if (emptied_->count == 0) push(free_, pop(emptied_));
  return slot;
}

}  // namespace jackdaw::gc
