// Synthetic graphs: generated heap graphs that are easy, hard, narrow or wide for a marker.
//
// Each function is linear in nodes and slots, makes the same graph on every machine, allocates nothing but
// the graph itself, and throws InputError in the name of `spec` (the graph as the user named it) when the
// graph has more than kMaximumNodes nodes or does not fit in the memory limit. A node is
// max(options.object_bytes, header and references) bytes large, rounded up to a multiple of 8; slots that
// have no target hold kNullNode.
#pragma once

#include <cstdint>
#include <string>

#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// A complete binary tree whose leaves are `depth` (0 to 31) edges from the root, numbered in preorder: the
/// order in which a recursive program allocates it.
[[nodiscard]] Graph make_tree(const std::string& spec, std::uint64_t depth, const GraphOptions& options);

/// A singly linked list of `nodes` (from 1), numbered from its head.
[[nodiscard]] Graph make_list(const std::string& spec, std::uint64_t nodes, const GraphOptions& options);

/// An array of `length` (from 1) references to as many distinct objects without references. The array is node
/// 0.
[[nodiscard]] Graph make_array(const std::string& spec, std::uint64_t length, const GraphOptions& options);

/// A complete tree of `nodes` (from 1) in which every node has up to `arity` (from 1) children, numbered
/// breadth first and allocated in that order.
[[nodiscard]] Graph make_ordered(const std::string& spec, std::uint64_t nodes, std::uint64_t arity,
                                 const GraphOptions& options);

/// make_ordered()'s tree, allocated in a random order.
[[nodiscard]] Graph make_shuffled(const std::string& spec, std::uint64_t nodes, std::uint64_t arity,
                                  const GraphOptions& options);

/// `nodes` (from 1) objects, each with `degree` (from 1) references to uniformly random nodes. Node 0 is the
/// root.
[[nodiscard]] Graph make_random(const std::string& spec, std::uint64_t nodes, std::uint64_t degree,
                                const GraphOptions& options);

/// A list of `spine` (from 1) nodes, each the head of a further list of `tooth` (from 1) nodes: slot 0 goes
/// on along the list that the node is in, slot 1 of a spine node to its tooth. Numbered tooth after tooth.
[[nodiscard]] Graph make_comb(const std::string& spec, std::uint64_t spine, std::uint64_t tooth,
                              const GraphOptions& options);

/// `depth` (from 1) layers of `width` (from 1) nodes, each with a reference to every node of the next layer:
/// as narrow as a graph can be that still has work for several. The first layer are the roots. Numbered layer
/// after layer.
[[nodiscard]] Graph make_layers(const std::string& spec, std::uint64_t depth, std::uint64_t width,
                                const GraphOptions& options);

}  // namespace jackdaw::tools
