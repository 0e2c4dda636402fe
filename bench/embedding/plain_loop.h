// mark_plainly: the loop that a runtime's author would write instead of an engine: one thread, an explicit
// stack, and a ring of prefetched objects.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace jackdaw::bench {

/// When the plain loop marks an object: as soon as a reference to it is found, or once its memory has
/// arrived.
enum class PlainMark : bool { when_found, when_visited };

/// `Heap` has `prefetch(reference)`, `set_mark(reference)`, which returns false if the object is marked
/// already, and `for_each_reference(reference, function)`. `stack` is empty before and after.
template <PlainMark kWhen, typename Heap, typename Reference = typename Heap::Reference>
void mark_plainly(Heap& heap, std::span<const Reference> roots, std::vector<Reference>& stack) {
  constexpr std::size_t kDepth = 16;
  std::array<Reference, kDepth> ring;
  std::size_t put = 0;
  std::size_t taken = 0;
  const auto find = [&](Reference reference) {
    if (kWhen == PlainMark::when_visited || heap.set_mark(reference)) stack.push_back(reference);
  };
  for (const Reference root : roots) find(root);
  for (;;) {
    for (; put - taken < kDepth && !stack.empty(); stack.pop_back()) {
      heap.prefetch(stack.back());
      ring[put++ % kDepth] = stack.back();
    }
    if (put == taken) return;
    const Reference next = ring[taken++ % kDepth];
    if (kWhen == PlainMark::when_found || heap.set_mark(next)) heap.for_each_reference(next, find);
  }
}

}  // namespace jackdaw::bench
