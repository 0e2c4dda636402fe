// Spans: which spans of a heap have free slots, and whether a size is worth another span.
//
// There is a list for each memory node, kind and size, oldest first, which leads through BlockInfo::next of a
// span's first block, and back through that of its second.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/check.h"
#include "base/page_array.h"
#include "heap/chunk.h"
#include "heap/kind.h"
#include "heap/span_sizes.h"

namespace jackdaw::heap {

/// The heap's lock guards it.
class Spans {
 public:
  /// Makes lists for `nodes` memory nodes. Throws std::bad_alloc.
  explicit Spans(std::size_t nodes) : lists_(base::PageArray<OfNode>::allocate_or_throw(nodes)) {}

  /// Returns the start of the first span with a free slot, or null.
  [[nodiscard]] std::byte* first(std::uint32_t quarters, KindNumber kind, std::uint32_t node) const {
    return lists_[node][static_cast<std::size_t>(kind)][quarters].first;
  }
  /// Adds a span with free slots, which is in no list, by its first block.
  void add(Chunk& chunk, std::size_t block) {
    BlockInfo& info = chunk.block(block);
    JACKDAW_CHECK(info.is_span_head() && info.live_slots < info.slots() && !info.is_listed);
    List& list = list_of(chunk, block);
    std::byte* const start = chunk.block_start(block);
    set_links(start, list.last, nullptr);
    (list.last == nullptr ? list.first : info_of(list.last).next) = start;
    list.last = start;
    info.is_listed = true;
  }
  /// Takes a span out of its list.
  void remove(Chunk& chunk, std::size_t block) {
    BlockInfo& info = chunk.block(block);
    JACKDAW_CHECK(info.is_span_head() && info.is_listed);
    List& list = list_of(chunk, block);
    std::byte* const before = chunk.block(block + 1).next;
    (before == nullptr ? list.first : info_of(before).next) = info.next;
    (info.next == nullptr ? list.last : link_back(info.next)) = before;
    info.is_listed = false;
  }
  /// Empties the lists as a sweep begins. It fills them again, and sets BlockInfo::is_listed, which is stale
  /// until then.
  void start_sweep() {
    for (OfNode& lists : lists_.span()) lists = {};
    for (auto& of_kind : wanted_)
      for (std::uint8_t& count : of_kind) count /= 2;
  }

  /// Notes that an object of a size and kind is allocated, and returns whether these are worth a span:
  /// whether so many were allocated since about the last sweep but one that the slots are likely to fill.
  bool note_wanted(std::uint32_t quarters, KindNumber kind) {
    std::uint8_t& count = wanted_[static_cast<std::size_t>(kind)][quarters];
    count = static_cast<std::uint8_t>(std::min<int>(count + 1, std::numeric_limits<std::uint8_t>::max()));
    return count > kFew;
  }

 private:
  static constexpr std::uint8_t kFew = 8;

  struct List {
    std::byte* first = nullptr;
    std::byte* last = nullptr;
  };
  using OfNode = std::array<std::array<List, SpanSizes::kMostQuarters + 1>, KindTable::kMaximumKinds>;

  static BlockInfo& info_of(std::byte* span) {
    Chunk& chunk = *Chunk::of(span);
    return chunk.block(chunk.block_index(span));
  }
  static std::byte*& link_back(std::byte* span) {
    Chunk& chunk = *Chunk::of(span);
    return chunk.block(chunk.block_index(span) + 1).next;
  }
  static void set_links(std::byte* span, std::byte* before, std::byte* next) {
    link_back(span) = before;
    info_of(span).next = next;
  }
  List& list_of(const Chunk& chunk, std::size_t block) {
    const std::size_t quarters = chunk.block(block).slot_bytes / kQuarterBytes;
    return lists_[chunk.node()][static_cast<std::size_t>(chunk.kind(block))][quarters];
  }

  base::PageArray<OfNode> lists_;
  // Each sweep halves them.
  std::array<std::array<std::uint8_t, SpanSizes::kMostQuarters + 1>, KindTable::kMaximumKinds> wanted_{};
};

}  // namespace jackdaw::heap
