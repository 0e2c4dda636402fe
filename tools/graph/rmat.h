// Rmat: generates a recursive-matrix graph (Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for
// graph mining", SDM 2004) with the quadrant probabilities of Graph500: a few nodes have very many
// references, most have few.
//
// It takes time linear in edges times scale. The edges are drawn twice from the same seed, to count and to
// place them, so no list of edges is stored. Invariant: the sequence of edges depends only on scale, edge
// factor and seed.
#pragma once

#include <cstdint>
#include <string>

#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Returns a graph of 2^scale nodes and edge_factor * 2^scale edges; `scale` is 0 to 31, `edge_factor` from
/// 1. Every node is an array of its out-degree; the root is the first node with the highest out-degree. Edges
/// may repeat and may lead to the node they leave. Throws InputError in the name of `spec` when it does not
/// fit.
[[nodiscard]] Graph make_rmat(const std::string& spec, std::uint64_t scale, std::uint64_t edge_factor,
                              const GraphOptions& options);

}  // namespace jackdaw::tools
