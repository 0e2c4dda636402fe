// What every generated graph is checked and measured by.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "bench/graph/graph.h"
#include "bench/graph/saturating.h"
#include "bench/input_error.h"

namespace jackdaw::bench {

/// How messages name a graph: "graph 'tree:21'".
[[nodiscard]] inline std::string describe_graph(const std::string& spec) {
  return fmt::format("graph '{}'", spec);
}

/// Throws InputError when `nodes` is more than a graph can number.
inline void require_node_count(const std::string& spec, std::uint64_t nodes) {
  if (nodes <= kMaximumNodes) return;
  throw InputError(fmt::format("{}: has more than {} nodes, the most that a graph can have",
                               describe_graph(spec), kMaximumNodes));
}

/// Bytes of an array node of `length` references: header, length and references.
[[nodiscard]] constexpr std::uint64_t array_node_bytes(std::uint64_t length) {
  return saturating_add(kArrayHeaderBytes, saturating_multiply(length, kReferenceBytes));
}

}  // namespace jackdaw::bench
