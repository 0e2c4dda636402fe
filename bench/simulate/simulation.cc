#include "bench/simulate/simulation.h"

#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "bench/queues/choices.h"
#include "bench/simulate/simulated_team.h"

namespace jackdaw::bench {

namespace {

template <typename Choice>
using QueueOf = typename Choice::template Queue<RecordedNode>;

// Whether a queue's owner stays away from what thieves read: it does in a queue in blocks.
template <typename Choice>
constexpr bool has_blocks() {
  return Choice::kName.starts_with("bwos");
}

template <typename... Choices>
std::vector<std::string_view> names_of_stealable(std::type_identity<std::tuple<Choices...>>) {
  std::vector<std::string_view> names;
  const auto add = [&]<typename Choice>(std::type_identity<Choice>) {
    if (QueueOf<Choice>::kServesThieves) names.push_back(Choice::kName);
  };
  (add(std::type_identity<Choices>()), ...);
  return names;
}

template <typename First, typename... Rest>
SimulationResult simulate_with(std::type_identity<std::tuple<First, Rest...>>, std::string_view queue,
                               const Recording& recording, const SimulationSetup& setup) {
  if constexpr (QueueOf<First>::kServesThieves) {
    if (queue == First::kName) {
      return SimulatedTeam<QueueOf<First>, has_blocks<First>()>(recording, setup).run();
    }
  }
  if constexpr (sizeof...(Rest) > 0) {
    return simulate_with(std::type_identity<std::tuple<Rest...>>(), queue, recording, setup);
  }
  throw std::invalid_argument("no queue '" + std::string(queue) + "' can be simulated");
}

}  // namespace

std::vector<std::string_view> simulated_queue_names() {
  return names_of_stealable(std::type_identity<QueueChoices>());
}

SimulationResult simulate(const Recording& recording, const SimulationSetup& setup) {
  if (setup.engine.threads == 0) throw std::invalid_argument("a simulation needs a worker");
  return simulate_with(std::type_identity<QueueChoices>(), queue_name_or_default(setup.queue), recording,
                       setup);
}

SimulationResult simulate_repeated(const Recording& recording, SimulationSetup setup) {
  setup.woken = 0;
  const SimulationResult first = simulate(recording, setup);
  if (first.references < setup.engine.tuning.small_round_references) {
    setup.engine.tuning.serial_references = setup.engine.tuning.small_round_references;
  } else {
    setup.woken = first.useful_helpers;
  }
  return simulate(recording, setup);
}

}  // namespace jackdaw::bench
