// CandidateBuffer: words of visited objects that may be references, between being picked out and being
// examined.
//
// Owned by one worker. It is always empty for a model without candidates.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/always_inline.h"
#include "base/check.h"
#include "mark/object_model.h"

namespace jackdaw::mark {

template <typename Model>
class CandidateBuffer {
 public:
  [[nodiscard]] static constexpr bool is_empty() { return true; }
  [[nodiscard]] static constexpr bool is_due() { return false; }
};

template <CandidateObjectModel Model>
class CandidateBuffer<Model> {
 public:
  using Candidate = typename Model::Candidate;
  /// The number of candidates that are examined together.
  static constexpr std::size_t kDue = 64;

  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  /// Whether the candidates must be examined before the next visit. Otherwise there is room for
  /// kCandidatesAtOnce more.
  [[nodiscard]] bool is_due() const { return count_ >= kDue; }

  /// end() is where the next candidate goes; lacking() is how many are to come until they are due.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE Candidate* end() { return candidates_.data() + count_; }
  [[nodiscard]] JACKDAW_ALWAYS_INLINE std::size_t lacking() const {
    JACKDAW_CHECK(count_ <= kDue);
    return kDue - count_;
  }
  /// These give the candidates and their number; up to kCandidatesAtOnce more may be written behind them.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE Candidate* data() { return candidates_.data(); }
  [[nodiscard]] JACKDAW_ALWAYS_INLINE std::size_t size() const { return count_; }
  JACKDAW_ALWAYS_INLINE void set_size(std::size_t count) {
    JACKDAW_CHECK(count <= kDue + kCandidatesAtOnce);
    count_ = count;
  }
  /// Empties the buffer. The returned candidates stay readable until more are written.
  [[nodiscard]] JACKDAW_ALWAYS_INLINE std::span<const Candidate> take_all() {
    const std::span<const Candidate> all(candidates_.data(), count_);
    count_ = 0;
    return all;
  }

 private:
  std::array<Candidate, kDue + kCandidatesAtOnce + kCandidateScratch> candidates_;
  std::size_t count_ = 0;
};

}  // namespace jackdaw::mark
