// MatrixMarket: reads a sparse matrix in the Matrix Market exchange format (Boisvert, Pozo and Remington,
// NISTIR 5935, 1996) as a graph, plain or gzipped.
//
// The matrix is square and in coordinate format: pattern, real, integer or complex; general, symmetric,
// skew-symmetric or Hermitian. Nodes are its rows. An entry is a reference from its row to its column,
// whatever its value; one off the diagonal of a matrix that is not general is also one from its column to its
// row. file_edges.h defines the graph that edges make.
#pragma once

#include <string>

#include "tools/graph/byte_source.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_options.h"

namespace jackdaw::tools {

/// Returns the graph of the matrix at `path`, a regular file, within the limits of `options`. Throws
/// InputError, naming the file, the line and what would be right, for anything else. Linear in the size of
/// the file.
[[nodiscard]] Graph read_matrix_market(const std::string& path, const GraphOptions& options = {});

/// Reads a source that is already open.
[[nodiscard]] Graph read_matrix_market(ByteSource& source, const GraphOptions& options);

}  // namespace jackdaw::tools
