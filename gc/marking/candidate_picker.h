// CandidatePicker: finds the words of memory that may be addresses of objects, many at a time.
//
// A word is picked if it lies in the heap's range and, where not all addresses in an object keep it, at an
// offset in its granule that a displacement has. No branch depends on the words' values. heap/word_scan.h
// finds the object that a picked word leads to, if any.
//
// On x86-64 with AVX2 four words are compared at once, and those that pass are moved together by a
// permutation; with AVX-512 eight, where there are as many, by an instruction of its own. All instruction
// sets give the same candidates in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gc/marking/mark_task.h"
#include "heap/block_map.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

class CandidatePicker {
 public:
  /// A word that may be the address of an object.
  using Candidate = std::uintptr_t;
  /// How many places behind the candidates may be written to.
  static constexpr std::size_t kScratch = 8;

  /// The instructions that the processor must have for a way to pick.
  enum class Instructions : std::uint8_t { any, avx2, avx512 };
  /// The ways that this processor has, the fastest last.
  static std::vector<Instructions> available();

  CandidatePicker() = default;  // of a heap that covers nothing
  /// For the heap of that map, with the displacements that it has now, and the fastest instructions.
  explicit CandidatePicker(const heap::BlockMap& map) : CandidatePicker(map, fastest()) {}
  CandidatePicker(const heap::BlockMap& map, Instructions instructions);

  /// Writes the candidates among `words` to `out`, and returns how many there are: at most all. O(words).
  std::size_t pick(heap::Words words, Candidate* out) const { return pick_(*this, words, out); }

  /// How many tasks, and how many candidates came of them.
  struct Picked {
    std::size_t tasks;
    std::size_t candidates;
  };
  /// Objects of no more words may be visited when there are enough candidates already.
  static constexpr std::size_t kWordsUnchecked = 8;
  /// Visits the tasks in order, the first in any case, up to the first that is not of Form::small_words, or
  /// until there are at least `enough` candidates, which it writes to `out`: fewer than `enough` and the
  /// words of one task more, or kWordsUnchecked for each task more.
  Picked pick_from(std::span<const MarkTask> tasks, std::size_t enough, Candidate* out) const {
    return pick_from_tasks_(*this, tasks, enough, out);
  }

 private:
  struct Portable;
  struct Avx2;
  struct Avx512;
  using Pick = std::size_t (*)(const CandidatePicker&, heap::Words, Candidate*);
  using PickFromTasks = Picked (*)(const CandidatePicker&, std::span<const MarkTask>, std::size_t,
                                   Candidate*);

  static Instructions fastest();
  template <typename By>
  void pick_by(bool displaced);
  static std::size_t pick_nothing(const CandidatePicker&, heap::Words, Candidate*) { return 0; }
  static Picked pick_from_nothing(const CandidatePicker&, std::span<const MarkTask>, std::size_t,
                                  Candidate*) {
    return {};
  }

  heap::BlockMap::View view_;
  Pick pick_ = pick_nothing;
  PickFromTasks pick_from_tasks_ = pick_from_nothing;
};

}  // namespace jackdaw::gc
