// HeapReport: figures and tables of the objects in a heap, and of the roots and objects that keep them alive.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/heap/heap_view.h"
#include "tools/heap/keepers.h"

namespace jackdaw::tools {

struct HeapReport {
  struct Type {
    std::string name;
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
  };
  /// Objects of at least `from_bytes` and less than twice as many.
  struct SizeClass {
    std::uint64_t from_bytes = 0;
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
  };
  /// Blocks of objects of one size, and how much of them is live; only dumps have them.
  struct Blocks {
    std::uint64_t object_bytes = 0;  ///< 0: large objects, each in blocks of its own
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;  ///< all bytes of the blocks
    std::uint64_t live_bytes = 0;
    /// The numbers of blocks that are full, at least 1/2, 1/4 and 1/8 live, and less live.
    std::array<std::uint64_t, 5> by_share{};

    [[nodiscard]] std::uint64_t unused_bytes() const { return bytes - live_bytes; }
  };
  /// The roots in one kind of place.
  struct RootGroup {
    std::string where;
    std::uint64_t roots = 0;
    std::uint64_t retained_bytes = 0;  ///< what only they keep alive
    bool is_certain = true;
  };

  std::string heap;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t references = 0;
  std::uint64_t roots = 0;
  std::uint64_t unreachable_objects = 0;
  std::vector<Type> types;         ///< by decreasing bytes
  std::vector<SizeClass> sizes;    ///< by increasing size
  std::vector<Blocks> blocks;      ///< by decreasing bytes that are not live
  std::vector<Keeper> keepers;     ///< the objects that retain most, as find_keepers() orders them
  std::vector<Keeper> root_words;  ///< the single roots that retain most
  std::vector<RootGroup> groups;   ///< by decreasing bytes
};

/// Describes all live objects, with at most `most` keepers and root words.
[[nodiscard]] HeapReport describe_heap(const HeapView& view, std::size_t most);

[[nodiscard]] std::string format_heap(const HeapReport& report);
[[nodiscard]] std::string heap_to_json(const HeapReport& report);

}  // namespace jackdaw::tools
