// find_why: shortest ways from a root to an object, which tell why it is alive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/heap/heap_view.h"

namespace jackdaw::tools {

struct Why {
  struct Step {
    std::string what;        ///< the root, then objects, each behind the name of the reference to it
    bool is_certain = true;  ///< whether the reference from here is exact
  };
  std::vector<Step> steps;
  std::vector<std::string> allocated_by;  ///< HeapView::calls_that_allocated() of the last object
};

/// Returns a shortest way to the object at, or around, the address `wanted` (0x...), or to the object with
/// that number where the heap has no addresses; otherwise ways to the first `most` objects, in breadth-first
/// order, whose type's name contains it. Throws InputError when there is no such object or type, and when
/// nothing leads there. O(heap).
[[nodiscard]] std::vector<Why> find_why(const HeapView& view, const std::string& wanted, std::size_t most);

[[nodiscard]] std::string format_why(const std::vector<Why>& ways);

}  // namespace jackdaw::tools
