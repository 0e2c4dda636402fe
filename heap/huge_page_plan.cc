#include "heap/huge_page_plan.h"

#include <sys/mman.h>

#include "base/page_memory.h"

namespace jackdaw::heap {

void HugePagePlan::decide(std::size_t page, std::span<std::byte> memory) {
  const bool asks = huge_pages_->are_wanted();
  // The call is only advice.
  madvise(memory.data(), memory.size(), asks ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  note_decision(page, asks);
  if (asks) untimed_pages_.fetch_or(static_cast<std::uint8_t>(1U << page), std::memory_order_relaxed);
}

void HugePagePlan::note_decision(std::size_t page, bool is_huge) {
  is_decided_.set(page);
  if (is_huge) return;
  // Relaxed, both: see populate.
  const std::uint8_t small = small_pages_.load(std::memory_order_relaxed);
  small_pages_.store(static_cast<std::uint8_t>(small | 1U << page), std::memory_order_relaxed);
}

// The system's own thread (khugepaged) would make a huge page of the rest.
void HugePagePlan::break_up(std::size_t page, std::span<std::byte> memory) {
  if (is_broken_up_.test(page)) return;
  is_broken_up_.set(page);
  madvise(memory.data(), memory.size(), MADV_NOHUGEPAGE);
  note_decision(page, false);
}

void HugePagePlan::populate(std::size_t page, std::span<std::byte> memory) {
  const auto bit = static_cast<std::uint8_t>(1U << page);
  // Relaxed: the lock under which the block was taken publishes what was decided then.
  if ((small_pages_.load(std::memory_order_relaxed) & bit) != 0) {
#ifdef MADV_POPULATE_WRITE
    // The call is only advice: a system that does not know it populates page by page.
    base::PageMemory::advise(memory.data(), memory.size(), MADV_POPULATE_WRITE);
#endif
    // Relaxed, all: the first thread to clear the bit times the page.
  } else if ((untimed_pages_.load(std::memory_order_relaxed) & bit) != 0 &&
             (untimed_pages_.fetch_and(static_cast<std::uint8_t>(~bit), std::memory_order_relaxed) & bit) !=
                 0) {
    huge_pages_->time([=] { return memory.front() = std::byte{0}; });
  }
}

}  // namespace jackdaw::heap
