// find_keepers: the objects and roots that retain most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/heap/heap_view.h"

namespace jackdaw::tools {

/// An object, or a root, with what it retains.
struct Keeper {
  std::string what;
  std::uint64_t retained_bytes = 0;
  bool is_certain = true;   ///< of a root: it is an exact reference
  std::uint32_t depth = 0;  ///< of an object: how many of the keepers before it dominate it
};

/// Returns the `most` objects that retain most, as a tree in preorder: an object follows the one that
/// dominates it, by whose reference it is named. Where objects of one type follow each other by references of
/// one name, as in a list, those behind the second are left out. O(objects + most * references).
[[nodiscard]] std::vector<Keeper> find_keepers(const HeapView& view,
                                               std::span<const std::uint32_t> dominators,
                                               std::span<const std::uint64_t> sums, std::size_t most);

/// Returns the `most` roots that retain most alone, and anything.
[[nodiscard]] std::vector<Keeper> find_root_words(const HeapView& view, std::span<const std::uint64_t> sums,
                                                  std::size_t most);

}  // namespace jackdaw::tools
