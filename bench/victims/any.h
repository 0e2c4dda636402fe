// AnyVictim: a victim policy that is chosen by name at run time. All policies are listed here.
//
// A thief is idle when it chooses, so the cost of a switch does not matter, and an engine is compiled for one
// policy only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/victims/best_of.h"
#include "bench/victims/last.h"
#include "bench/victims/numa.h"
#include "bench/victims/random.h"
#include "bench/victims/random_probabilistic.h"
#include "bench/victims/sequence.h"
#include "mark/victim/numa_probabilistic.h"
#include "mark/victim/victim_policy.h"

namespace jackdaw::bench {

class AnyVictim {
 public:
  /// Makes the policy of that name; an empty name means the default, the collector's own. Throws
  /// std::invalid_argument for an unknown name.
  explicit AnyVictim(const mark::VictimSetup& setup, std::string_view name = {})
      : policy_(entry_of(name).make(setup)) {}

  /// Returns the names of all policies, the default first.
  static std::vector<std::string_view> names() {
    std::vector<std::string_view> names;
    std::ranges::transform(kEntries, std::back_inserter(names), &Entry::name);
    return names;
  }

  void start_search(std::uint32_t workers) {
    std::visit([workers](auto& policy) { policy.start_search(workers); }, policy_);
  }
  template <typename Queues>
  std::optional<mark::VictimChoice> choose(const Queues& queues) {
    return std::visit([&](auto& policy) { return policy.choose(queues); }, policy_);
  }
  void stole_from(std::uint32_t worker) {
    std::visit([&](auto& policy) { policy.stole_from(worker); }, policy_);
  }

 private:
  using Policy = std::variant<mark::NumaProbabilisticVictim, RandomProbabilisticVictim, NumaVictim,
                              RandomVictim, SequenceVictim, LastVictim, BestOfTwoVictim, BestOfManyVictim>;

  struct Entry {
    std::string_view name;
    Policy (*make)(const mark::VictimSetup& setup);
  };
  template <typename Victim>
  static Policy make(const mark::VictimSetup& setup) {
    return Policy(std::in_place_type<Victim>, setup);
  }
  static const Entry& entry_of(std::string_view name) {
    if (name.empty()) return kEntries.front();
    const auto found = std::ranges::find(kEntries, name, &Entry::name);
    if (found == kEntries.end())
      throw std::invalid_argument("unknown victim policy '" + std::string(name) + "'");
    return *found;
  }

  static constexpr std::array<Entry, std::variant_size_v<Policy>> kEntries{{
      {"numa-prob", make<mark::NumaProbabilisticVictim>},
      {"random-prob", make<RandomProbabilisticVictim>},
      {"numa", make<NumaVictim>},
      {"random", make<RandomVictim>},
      {"sequence", make<SequenceVictim>},
      {"last", make<LastVictim>},
      {"best-of-two", make<BestOfTwoVictim>},
      {"best-of-many", make<BestOfManyVictim>},
  }};

  Policy policy_;
};

static_assert(mark::VictimPolicy<AnyVictim>);

}  // namespace jackdaw::bench
