// PartlyFree: the blocks that the last sweep found partly free and no allocator owns, in lists.
//
// There is a list for each memory node, kind and size class, which leads through BlockInfo::next. All blocks
// of a list have free slots, and none is in two lists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/page_array.h"
#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/size_classes.h"

namespace jackdaw::heap {

/// The heap's lock guards it.
class PartlyFree {
 public:
  /// Makes lists for `nodes` memory nodes. Throws std::bad_alloc.
  explicit PartlyFree(std::size_t nodes) : lists_(base::PageArray<OfNode>::allocate_or_throw(nodes)) {}

  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(lists_.size()); }
  /// Returns the start of a list's first block, or null.
  [[nodiscard]] std::byte*& list(std::uint8_t size_class, KindNumber kind, std::uint32_t node) const {
    return lists_[node][static_cast<std::size_t>(kind)][size_class];
  }
  /// Adds a block of a chunk to its list.
  void add(Chunk& chunk, std::size_t block) {
    BlockInfo& info = chunk.block(block);
    JACKDAW_CHECK(info.use == BlockUse::small && info.live_slots < info.slots());
    std::byte*& first = list(info.size_class, chunk.kind(block), chunk.node());
    info.next = first;
    info.is_listed = true;
    first = chunk.block_start(block);
  }
  /// Takes the first block out of a list, which is not empty.
  static void take_first(std::byte*& list) {
    Chunk& chunk = *Chunk::of(list);
    BlockInfo& info = chunk.block(chunk.block_index(list));
    info.is_listed = false;
    info.pages_given_back = 0;
    list = info.next;
  }
  /// Empties the lists, as a sweep begins, which fills them anew and has blocks forget that they were listed.
  void clear() {
    for (OfNode& lists : lists_.span()) lists = {};
  }

 private:
  using OfNode = std::array<std::array<std::byte*, SizeClasses::kCount>, KindTable::kMaximumKinds>;

  base::PageArray<OfNode> lists_;
};

}  // namespace jackdaw::heap
