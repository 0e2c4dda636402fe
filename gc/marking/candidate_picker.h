// CandidatePicker: finds the words of memory that may be addresses of objects, many at a time.
//
// A word is picked if it lies in the heap's range and, where not all interior pointers count, its offset in
// its granule is that of a displacement. No branch depends on the words' values. heap/word_scan.h finds the
// object that a picked word leads to, if any.
//
// With AVX2 and NEON, four words are compared at once, and a permutation packs those that pass; with AVX-512,
// eight are, where there are as many, and one instruction packs them. All instruction sets give the same
// candidates in the same order.
#pragma once

#include <array>
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
  /// The number of places behind the candidates that may be overwritten.
  static constexpr std::size_t kScratch = 8;

  /// The instructions that a way to pick needs.
  enum class Instructions : std::uint8_t { any, neon, avx2, avx512 };
  /// Returns the ways that this processor offers, the fastest last.
  static std::vector<Instructions> available();

  CandidatePicker() = default;  // covers nothing
  /// Picks for the heap of that map, with its present displacements, by the fastest instructions.
  explicit CandidatePicker(const heap::BlockMap& map) : CandidatePicker(map, fastest()) {}
  CandidatePicker(const heap::BlockMap& map, Instructions instructions);

  /// Writes the candidates among `words` to `out` and returns their number, at most all. O(words).
  std::size_t pick(heap::Words words, Candidate* out) const { return pick_(*this, words, out); }

  /// The number of tasks visited, and of candidates found in them.
  struct Picked {
    std::size_t tasks;
    std::size_t candidates;
  };
  /// Objects up to this number of words may be visited though there are enough candidates already.
  static constexpr std::size_t kWordsUnchecked = 8;
  /// Visits the tasks in order, the first in any case, up to the first that is not of Form::small_words, or
  /// until at least `enough` candidates were written to `out`. It writes fewer than `enough` plus the words
  /// of one more task, or kWordsUnchecked for each further one.
  Picked pick_from(std::span<const MarkTask> tasks, std::size_t enough, Candidate* out) const {
    return pick_from_tasks_(*this, tasks, enough, out);
  }

 private:
  // They are ordered by speed: the later of two that a processor has is the faster one.
  static constexpr std::array kAll{Instructions::any, Instructions::neon, Instructions::avx2,
                                   Instructions::avx512};

  template <typename Test>
  struct ByObject;
  struct Avx2;
  struct Avx512;
  using Pick = std::size_t (*)(const CandidatePicker&, heap::Words, Candidate*);
  using PickFromTasks = Picked (*)(const CandidatePicker&, std::span<const MarkTask>, std::size_t,
                                   Candidate*);

  static bool has(Instructions instructions);
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
