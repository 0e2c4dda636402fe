// Queues that do not change, and machines with several memory nodes, for tests of victim policies.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "mark/victim/victim_policy.h"

namespace jackdaw::mark {

// Queues of ten blocks of which the first `stealable[worker]` have something to steal.
struct FixedQueues {
  std::vector<std::uint64_t> stealable;

  [[nodiscard]] bool looks_stealable(std::uint32_t worker, std::uint64_t sample) const {
    return sample % 10 < stealable[worker];
  }
  [[nodiscard]] std::size_t size_hint(std::uint32_t worker) const { return stealable[worker]; }
  [[nodiscard]] bool has_stealable(std::uint32_t worker) const { return stealable[worker] != 0; }
};

inline FixedQueues full_queues(std::size_t workers) { return {std::vector<std::uint64_t>(workers, 10)}; }

// How often each worker is chosen in so many searches that end with the first choice.
template <typename Policy>
std::map<std::uint32_t, int> first_choices(Policy& policy, const FixedQueues& queues, int searches) {
  std::map<std::uint32_t, int> chosen;
  for (int i = 0; i < searches; ++i) {
    policy.start_search(static_cast<std::uint32_t>(queues.stealable.size()));
    if (const std::optional<VictimChoice> choice = policy.choose(queues)) ++chosen[choice->worker];
  }
  return chosen;
}

// The next choices of one search.
template <typename Policy>
std::vector<std::uint32_t> next_choices(Policy& policy, std::size_t count) {
  std::vector<std::uint32_t> workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back(policy.choose(full_queues(64))->worker);
  return workers;
}

// Sixteen workers, four to a node.
inline std::vector<std::uint32_t> four_nodes() {
  std::vector<std::uint32_t> nodes(16);
  for (std::uint32_t worker = 0; worker < 16; ++worker) nodes[worker] = worker / 4;
  return nodes;
}

// Four nodes of four workers in a row: one hop is 20, two are 30, three 40.
inline std::vector<std::uint32_t> distances_in_a_row() {
  std::vector<std::uint32_t> distances;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to)
      distances.push_back(static_cast<std::uint32_t>(10 + 10 * std::abs(from - to)));
  }
  return distances;
}

// The paper's claim on probabilistic stealing: a queue is stolen from in proportion to its size.
template <typename Policy>
void expect_in_proportion(Policy& policy, const FixedQueues& queues,
                          const std::vector<std::uint32_t>& among) {
  std::map<std::uint32_t, int> chosen;
  int all = 0;
  for (int i = 0; i < 400000; ++i) {
    policy.start_search(static_cast<std::uint32_t>(queues.stealable.size()));
    if (const auto choice = policy.choose(queues)) {
      ++chosen[choice->worker];
      ++all;
      EXPECT_TRUE(choice->sample && queues.looks_stealable(choice->worker, *choice->sample));
    }
  }
  std::uint64_t size = 0;
  for (const std::uint32_t worker : among) size += queues.stealable[worker];
  int expected_all = 0;
  for (const std::uint32_t worker : among) {
    const double expected =
        static_cast<double>(all) * static_cast<double>(queues.stealable[worker]) / static_cast<double>(size);
    EXPECT_NEAR(chosen[worker], expected, 0.05 * expected) << "worker " << worker;
    expected_all += chosen[worker];
  }
  EXPECT_EQ(all, expected_all) << "nobody else";
}

}  // namespace jackdaw::mark
