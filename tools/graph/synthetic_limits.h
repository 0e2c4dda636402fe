// The size checks of all generated graphs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "tools/command/input_error.h"
#include "tools/command/saturating.h"
#include "tools/graph/graph.h"

namespace jackdaw::tools {

/// Returns a graph's name for messages: "graph 'tree:21'".
[[nodiscard]] inline std::string describe_graph(const std::string& spec) {
  return fmt::format("graph '{}'", spec);
}

/// Throws InputError when `nodes` is more than a graph can number.
inline void require_node_count(const std::string& spec, std::uint64_t nodes) {
  if (nodes <= kMaximumNodes) return;
  throw InputError(fmt::format("{}: has more than {} nodes, the most that a graph can have",
                               describe_graph(spec), kMaximumNodes));
}

/// Returns the bytes of a record node: header, if there are headers, and references.
[[nodiscard]] constexpr std::uint64_t record_node_bytes(std::uint64_t references, bool headers) {
  return saturating_add(headers ? kHeaderBytes : 0, saturating_multiply(references, kReferenceBytes));
}

/// Returns the bytes of an array node: header and length, if there are headers, and references.
[[nodiscard]] constexpr std::uint64_t array_node_bytes(std::uint64_t length, bool headers) {
  return saturating_add(headers ? kArrayHeaderBytes : 0, saturating_multiply(length, kReferenceBytes));
}

}  // namespace jackdaw::tools
