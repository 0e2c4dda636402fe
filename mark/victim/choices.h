// Every victim policy by name, one line each; the first is the default.
#pragma once

#include <tuple>

#include "mark/choice.h"
#include "mark/victim/best_of.h"
#include "mark/victim/last.h"
#include "mark/victim/numa.h"
#include "mark/victim/numa_probabilistic.h"
#include "mark/victim/random.h"
#include "mark/victim/random_probabilistic.h"
#include "mark/victim/sequence.h"

namespace jackdaw::mark {

using VictimChoices = std::tuple<  //
    Choice<"numa-prob", NumaProbabilisticVictim>, Choice<"random-prob", RandomProbabilisticVictim>,
    Choice<"numa", NumaVictim>, Choice<"random", RandomVictim>, Choice<"sequence", SequenceVictim>,
    Choice<"last", LastVictim>, Choice<"best-of-two", BestOfTwoVictim>,
    Choice<"best-of-many", BestOfManyVictim>>;

}  // namespace jackdaw::mark
