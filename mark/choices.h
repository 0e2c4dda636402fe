// Choices: every queue, victim policy and termination detector by the name that people select it with. One
// line each; the first of each kind is the default.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "mark/queue/abp.h"
#include "mark/queue/bwos_fifo.h"
#include "mark/queue/bwos_lifo.h"
#include "mark/queue/chase_lev.h"
#include "mark/queue/locked.h"
#include "mark/queue/sequential_fifo.h"
#include "mark/queue/sequential_lifo.h"
#include "mark/termination/counter.h"
#include "mark/termination/owst.h"
#include "mark/termination/ring.h"
#include "mark/victim/best_of.h"
#include "mark/victim/last.h"
#include "mark/victim/numa.h"
#include "mark/victim/numa_probabilistic.h"
#include "mark/victim/random.h"
#include "mark/victim/random_probabilistic.h"
#include "mark/victim/sequence.h"

namespace jackdaw::mark {

/// A name as part of a type.
template <std::size_t kSize>
struct Name {
  char text[kSize]{};

  // Implicit, so that a literal can stand where a name is asked for.
  // NOLINTNEXTLINE(google-explicit-constructor)
  consteval Name(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
};

/// A choice by name: of a policy or detector, and of a queue, which is a template over its tasks.
template <Name name, typename ChosenType>
struct Choice {
  static constexpr std::string_view kName{name.text};
  using Chosen = ChosenType;
};
template <Name name, template <typename> typename QueueTemplate>
struct QueueChoice {
  static constexpr std::string_view kName{name.text};
  template <typename Task>
  using Queue = QueueTemplate<Task>;
};

using QueueChoices =
    std::tuple<QueueChoice<"bwos-lifo", BwosLifo>, QueueChoice<"bwos-fifo", BwosFifo>,
               QueueChoice<"abp", AbpDeque>, QueueChoice<"chase-lev", ChaseLevDeque>,
               QueueChoice<"locked", LockedDeque>, QueueChoice<"sequential-lifo", SequentialLifo>,
               QueueChoice<"sequential-fifo", SequentialFifo>>;

using VictimChoices = std::tuple<  //
    Choice<"numa-prob", NumaProbabilisticVictim>, Choice<"random-prob", RandomProbabilisticVictim>,
    Choice<"numa", NumaVictim>, Choice<"random", RandomVictim>, Choice<"sequence", SequenceVictim>,
    Choice<"last", LastVictim>, Choice<"best-of-two", BestOfTwoVictim>,
    Choice<"best-of-many", BestOfManyVictim>>;

using TerminatorChoices = std::tuple<  //
    Choice<"owst", OwstTerminator>, Choice<"counter", CounterTerminator>, Choice<"ring", RingTerminator>>;

/// The names of all choices of a kind, the default first.
template <typename... Choices>
std::vector<std::string_view> names_of(std::type_identity<std::tuple<Choices...>>) {
  return {Choices::kName...};
}

/// `name`, or the default's when it is empty.
template <typename Choices>
std::string_view name_or_default(std::string_view name) {
  return name.empty() ? std::tuple_element_t<0, Choices>::kName : name;
}

}  // namespace jackdaw::mark
