// Stands in for gc/marking/candidate_picker.h: the program writes the words meanwhile, each in one access,
// and the collector reads each in one, which C++ calls relaxed atomic accesses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gc/marking/mark_task.h"
#include "heap/block_map.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

class CandidatePicker {
 public:
  using Candidate = std::uintptr_t;
  static constexpr std::size_t kScratch = 8;
  static constexpr std::size_t kWordsUnchecked = 8;
  struct Picked {
    std::size_t tasks;
    std::size_t candidates;
  };

  CandidatePicker() = default;
  explicit CandidatePicker(const heap::BlockMap& map) : view_(map) {}

  std::size_t pick(heap::Words words, Candidate* out) const {
    const heap::BlockMap::View view = view_;  // in registers
    std::size_t count = 0;
    for (const heap::Word& word : words) {
      auto* const bits = const_cast<std::uintptr_t*>(&word.bits);
      const std::uintptr_t value = std::atomic_ref(*bits).load(std::memory_order_relaxed);
      if (view.covers(value)) out[count++] = value;
    }
    return count;
  }
  Picked pick_from(std::span<const MarkTask> tasks, std::size_t, Candidate* out) const {
    return {1, pick(tasks.front().small_object(), out)};
  }

 private:
  heap::BlockMap::View view_;
};

}  // namespace jackdaw::gc
