// AnyVictim: a victim policy that is chosen by name at run time.
//
// A thief is idle when it chooses, so that the choice goes through a switch does not matter, and an engine
// need be compiled for one policy only.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "mark/chosen_variant.h"
#include "mark/victim/choices.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

class AnyVictim {
 public:
  /// The policy `setup.name`; empty: the default. Throws std::invalid_argument when there is none of that
  /// name.
  explicit AnyVictim(const VictimSetup& setup) : policy_(Chosen::make("victim policy", setup)) {}

  void start_search(std::uint32_t workers) {
    std::visit([workers](auto& policy) { policy.start_search(workers); }, policy_);
  }
  template <typename Queues>
  std::optional<VictimChoice> choose(const Queues& queues) {
    return std::visit([&](auto& policy) { return policy.choose(queues); }, policy_);
  }
  void stole_from(std::uint32_t worker) {
    std::visit([&](auto& policy) { policy.stole_from(worker); }, policy_);
  }

 private:
  using Chosen = ChosenVariant<VictimChoices>;
  Chosen::Type policy_;
};

static_assert(VictimPolicy<AnyVictim>);

}  // namespace jackdaw::mark
