// Choices: every queue and victim policy by the name that people select it with. One line each.
#pragma once

#include <string_view>
#include <tuple>

#include "mark/queue/bwos_lifo.h"
#include "mark/victim/random.h"
#include "mark/victim/random_probabilistic.h"

namespace jackdaw::mark {

struct BwosLifoChoice {
  static constexpr std::string_view kName = "bwos-lifo";
  template <typename Task>
  using Queue = BwosLifo<Task>;
};

struct RandomChoice {
  static constexpr std::string_view kName = "random";
  using Victim = RandomVictim;
};

struct RandomProbabilisticChoice {
  static constexpr std::string_view kName = "random-prob";
  using Victim = RandomProbabilisticVictim;
};

/// All queues; the first is the default.
using QueueChoices = std::tuple<BwosLifoChoice>;
/// All victim policies; the first is the default.
using VictimChoices = std::tuple<RandomProbabilisticChoice, RandomChoice>;

}  // namespace jackdaw::mark
