// Generated heap graphs with objects of different sizes and kinds, as in programs. The contracts of
// synthetic.h hold for these functions.
#pragma once

#include <cstdint>
#include <string>

#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Returns an array of `length` (from 1) references to distinct objects, each with one reference to a string:
/// 1 to 64 bytes without references, uniformly random. Nodes are numbered and allocated as by a program: the
/// array, an object, its string, the next object. Strings may be smaller than `options.object_bytes`.
[[nodiscard]] Graph make_strings(const std::string& spec, std::uint64_t length, const GraphOptions& options);

/// Returns `nodes` (from 1) objects of 16 to 512 bytes, a uniformly random number of words. Half of an
/// object's words are references: the first ones refer to the next nodes without a parent, so that all nodes
/// are a tree, numbered breadth first; the others are null. The other half are random integers.
[[nodiscard]] Graph make_numbers(const std::string& spec, std::uint64_t nodes, const GraphOptions& options);

}  // namespace jackdaw::tools
