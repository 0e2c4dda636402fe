// UnmarkedReferences: finds the words that refer to unmarked objects.
//
// Nearly all references on a dirty page lead to marked objects, whose marks may be anywhere in memory. So
// each mark is prefetched, and read some references later.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "base/prefetch.h"
#include "gc/marking/candidate_picker.h"
#include "heap/block_map.h"
#include "heap/chunk.h"
#include "heap/object.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Calls `function(Object*)` for the unmarked objects, some more than once. Objects beyond the map's range at
/// the construction are left out. Other threads may write the words, and mark, meanwhile.
template <typename Function>
class UnmarkedReferences {
 public:
  UnmarkedReferences(const heap::BlockMap& map, Function function)
      : map_(map), view_(map), picker_(map), function_(function) {}
  ~UnmarkedReferences() {
    for (heap::Object* const object : waiting_) tell_if_unmarked(object);
  }
  UnmarkedReferences(const UnmarkedReferences&) = delete;
  UnmarkedReferences& operator=(const UnmarkedReferences&) = delete;

  void scan(heap::Words words) {
    while (!words.empty()) {
      const heap::Words some = words.first(std::min(words.size(), kWordsAtOnce));
      words = words.subspan(some.size());
      const auto picked = std::span(candidates_).first(picker_.pick(some, candidates_.data()));
      heap::report_references(picked, view_, map_, *this);
    }
  }

  /// Called by report_references.
  void reference(heap::Object* object) {
    base::prefetch_to_read(heap::Chunk::of(object)->mark_address(object));
    heap::Object*& place = waiting_[next_++ % kWaiting];
    tell_if_unmarked(std::exchange(place, object));
  }

 private:
  static constexpr std::size_t kWordsAtOnce = 512;
  static constexpr std::size_t kWaiting = 32;

  void tell_if_unmarked(heap::Object* object) {
    if (object != nullptr && !heap::Chunk::of(object)->is_marked(object)) function_(object);
  }

  const heap::BlockMap& map_;
  const heap::BlockMap::View view_;
  const CandidatePicker picker_;
  Function function_;
  std::size_t next_ = 0;
  std::array<heap::Object*, kWaiting> waiting_{};
  std::array<CandidatePicker::Candidate, kWordsAtOnce + CandidatePicker::kScratch> candidates_;
};

}  // namespace jackdaw::gc
