// Generated heap graphs whose objects differ in size and kind, as programs' objects do. The contracts of
// synthetic.h hold for these functions.
#pragma once

#include <cstdint>
#include <string>

#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// An array of `length` (from 1) references to as many distinct objects, each with one reference to a string:
/// 1 to 64 bytes without references, uniformly random. Numbered and allocated as a program would: the array,
/// an object, its string, the next object. Strings need not have `options.object_bytes`.
[[nodiscard]] Graph make_strings(const std::string& spec, std::uint64_t length, const GraphOptions& options);

/// `nodes` (from 1) objects of 16 to 512 bytes, a uniformly random number of whole words. Half of an object's
/// words are references, of which the first ones lead to the next nodes without a parent, so that all are a
/// tree, numbered breadth first; the rest of them are null. The other half are random integers.
[[nodiscard]] Graph make_numbers(const std::string& spec, std::uint64_t nodes, const GraphOptions& options);

}  // namespace jackdaw::tools
