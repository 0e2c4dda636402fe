#include "gc/process/concurrent/tracked_stacks.h"

#include <algorithm>

#include "base/page_memory.h"

namespace jackdaw::gc {

// Pages of no stack lie among them, and of stacks that begin or end in the middle of a page.
void TrackedStacks::note_changed(std::span<FiberStack> stacks, base::AddressRange pages) {
  const auto end_of = [](const FiberStack& stack) { return stack.bounds.end; };
  for (auto stack = std::ranges::upper_bound(stacks, pages.begin, {}, end_of);
       stack != stacks.end() && stack->bounds.begin < pages.end; ++stack)
    stack->scanned_from = FiberStack::kNotScanned;
}

// The first page may also hold the end of a stack that was scanned before, in another part, too.
void TrackedStacks::note_all_changed(base::AddressRange pages) const {
  for (std::uintptr_t next = pages.begin;;) {
    const std::span<FiberStack> stacks = fibers_.from(next);
    if (stacks.empty() || stacks.front().bounds.begin >= pages.end) return;
    note_changed(stacks, pages);
    next = stacks.back().bounds.end;
  }
}

// Where only changed stacks are scanned, they are few, and a call looks at a whole part.
std::span<FiberStack> TrackedStacks::some_of(std::span<FiberStack> stacks, Which which) {
  if (which == Which::changed) return stacks;
  std::size_t count = 0;
  for (std::uint64_t bytes = 0; count < stacks.size() && bytes < kBytesAtOnce; ++count) {
    const base::AddressRange used = stacks[count].used();
    bytes += used.end - used.begin;
  }
  return stacks.first(count);
}

// Memory that is not tracked yet is tracked first. Where the system refuses, all of it counts as dirty.
void TrackedStacks::arm(std::span<FiberStack> stacks) {
  for_each_range(stacks, [this](base::AddressRange range, std::span<FiberStack>) {
    if (tracking_.claim_dirty(range, [this](base::AddressRange pages) { note_all_changed(pages); })) return;
    note_all_changed(base::pages_of(range));
    if (tracking_.watch(range)) tracking_.arm({&range, 1});
  });
}

// A part with little memory between its stacks is queried as a whole, since looking at each of many stacks
// takes longer than one query. The system refuses where memory between them is not tracked.
void TrackedStacks::note_dirty(std::uint32_t part) const {
  const std::span<FiberStack> stacks = fibers_.part(part);
  const base::AddressRange all{stacks.front().bounds.begin, stacks.back().bounds.end};
  if (all.end - all.begin <= 2 * kMostBetween * stacks.size() &&
      tracking_.for_each_dirty(all, [=](base::AddressRange pages) { note_changed(stacks, pages); }))
    return;
  for_each_range(stacks, [this](base::AddressRange range, std::span<FiberStack> in_range) {
    if (!tracking_.for_each_dirty(range, [=](base::AddressRange pages) { note_changed(in_range, pages); }))
      note_changed(in_range, range);
  });
}

void TrackedStacks::disarm() {
  for (std::uintptr_t next = 0;;) {
    const std::lock_guard lock(fibers_.mutex());
    const std::span<FiberStack> stacks = fibers_.from(next);
    if (stacks.empty()) return;
    next = stacks.back().bounds.end;
    for_each_range(stacks,
                   [this](base::AddressRange range, std::span<FiberStack>) { tracking_.disarm(range); });
  }
}

}  // namespace jackdaw::gc
