// RoundInput: the roots and rescans of a round, which its workers claim piece by piece.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>

#include "mark/mark_loop_constants.h"

namespace jackdaw::mark {

template <typename Reference, typename Task>
class RoundInput {
 public:
  /// The part that a worker claims at a time.
  struct Piece {
    std::span<const Reference> roots;
    std::span<const Task> rescans;
  };

  /// To be called before the workers of a round run.
  void start_round(std::span<const Reference> roots, std::span<const Task> rescans) {
    roots_ = roots;
    rescans_ = rescans;
    // Relaxed: the pool publishes it to the workers afterwards.
    next_root_.store(0, std::memory_order_relaxed);
    next_rescan_.store(0, std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_rescans() const { return !rescans_.empty(); }

  /// Whether something is left to claim.
  [[nodiscard]] bool is_left() const {
    // Relaxed: as in claim_of().
    return next_root_.load(std::memory_order_relaxed) < roots_.size() ||
           next_rescan_.load(std::memory_order_relaxed) < rescans_.size();
  }
  /// Claims a piece. False when nothing is left.
  bool claim(Piece& piece) {
    piece.roots = claim_of(roots_, next_root_);
    piece.rescans = claim_of(rescans_, next_rescan_);
    return !piece.roots.empty() || !piece.rescans.empty();
  }

 private:
  template <typename Element>
  static std::span<const Element> claim_of(std::span<const Element> all, std::atomic<std::size_t>& next) {
    // Relaxed: only the number matters; the input was published before the round.
    if (next.load(std::memory_order_relaxed) >= all.size()) return {};
    const std::size_t first = next.fetch_add(kInputPiece, std::memory_order_relaxed);
    if (first >= all.size()) return {};
    return all.subspan(first, std::min(kInputPiece, all.size() - first));
  }

  std::span<const Reference> roots_;
  std::span<const Task> rescans_;
  alignas(128) std::atomic<std::size_t> next_root_{0};
  std::atomic<std::size_t> next_rescan_{0};
};

}  // namespace jackdaw::mark
