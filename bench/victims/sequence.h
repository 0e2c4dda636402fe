// SequenceVictim: chooses the others one after another, in the same order in every search.
//
// Source: the policy 'seq' of Wang et al., "BWoS", OSDI 2023, §6.2.3: victims by a fixed configuration. A
// worker's order begins with its successor, so that not all thieves begin with the same victim.
#pragma once

#include <cstdint>
#include <optional>

#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

class SequenceVictim {
 public:
  explicit SequenceVictim(const mark::VictimSetup& setup)
      : self_(setup.self), workers_(setup.workers), next_(successor(setup.self)) {}

  void start_search(std::uint32_t workers) {
    workers_ = workers;
    next_ = successor(self_);
  }
  void stole_from(std::uint32_t) {}

  /// Always returns a victim, which is never the thief itself. O(1).
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues&) {
    const mark::VictimChoice choice{next_};
    next_ = successor(next_);
    if (next_ == self_) next_ = successor(next_);
    return choice;
  }

 private:
  [[nodiscard]] std::uint32_t successor(std::uint32_t worker) const {
    return worker + 1 == workers_ ? 0 : worker + 1;
  }

  std::uint32_t self_;
  std::uint32_t workers_;
  std::uint32_t next_;
};

static_assert(mark::VictimPolicy<SequenceVictim>);

}  // namespace jackdaw::bench
