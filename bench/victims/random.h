// RandomVictim: chooses any other worker, with equal probability.
//
// Source: Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", JACM 1999, §4.
#pragma once

#include <cstdint>
#include <optional>

#include "mark/random_numbers.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

class RandomVictim {
 public:
  explicit RandomVictim(const mark::VictimSetup& setup)
      : self_(setup.self), others_(setup.workers - 1), random_(setup.seed) {}

  void start_search(std::uint32_t workers) { others_ = workers - 1; }
  void stole_from(std::uint32_t) {}

  /// Always returns a victim, which is never the thief itself. O(1).
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues&) {
    return mark::VictimChoice{pick()};
  }

  /// Returns only the worker, for policies that add to it.
  std::uint32_t pick() {
    const std::uint32_t other = random_.below(others_);
    return other < self_ ? other : other + 1;
  }

  /// Returns the stream of random numbers that choices use.
  mark::RandomNumbers& random() { return random_; }

 private:
  std::uint32_t self_;
  std::uint32_t others_;
  mark::RandomNumbers random_;
};

static_assert(mark::VictimPolicy<RandomVictim>);

}  // namespace jackdaw::bench
