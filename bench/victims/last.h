// LastVictim: chooses first the victim of the last successful steal, then any other worker at random.
//
// Source: the policy 'last' of Wang et al., "BWoS", OSDI 2023, §6.2.3; OpenJDK's task queues have had the
// same bias since JDK-8205921.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "bench/victims/random.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

class LastVictim {
 public:
  explicit LastVictim(const mark::VictimSetup& setup) : selector_(setup) {}

  void start_search(std::uint32_t workers) {
    selector_.start_search(workers);
    may_repeat_ = last_.has_value() && *last_ < workers;
  }
  void stole_from(std::uint32_t worker) { last_ = worker; }

  /// Always returns a victim, which is never the thief itself. O(1).
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues&) {
    return mark::VictimChoice{std::exchange(may_repeat_, false) ? *last_ : selector_.pick()};
  }

 private:
  RandomVictim selector_;
  std::optional<std::uint32_t> last_;
  bool may_repeat_ = false;
};

static_assert(mark::VictimPolicy<LastVictim>);

}  // namespace jackdaw::bench
