// Why an object is alive: shortest ways to it from a root.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/heap/heap_view.h"

namespace jackdaw::tools {

struct Why {
  struct Step {
    std::string what;        ///< the root, then objects
    bool is_certain = true;  ///< whether what leads on from here cannot be anything but a reference
  };
  std::vector<Step> steps;
};

/// A shortest way to the object at, or around, `wanted` where that is an address (0x...) or, where the heap
/// has none, its number in the file or the graph; else ways to the first `most` objects, in breadth-first
/// order, whose type's name contains it. Throws InputError when there is no such object or type, and when
/// nothing leads there. O(heap).
[[nodiscard]] std::vector<Why> find_why(const HeapView& view, const std::string& wanted, std::size_t most);

[[nodiscard]] std::string format_why(const std::vector<Why>& ways);

}  // namespace jackdaw::tools
