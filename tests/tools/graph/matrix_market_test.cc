// The reader of Matrix Market files: what it makes of good ones, and what it says of bad ones.
#include "tools/graph/matrix_market.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/tools/graph/bytes.h"
#include "tests/tools/graph/graph_invariants.h"
#include "tests/tools/graph/memory_file.h"
#include "tests/tools/graph/reader_sweeps.h"

namespace jackdaw::tools {
namespace {

/// A matrix of three rows.
Bytes matrix(std::string_view kind, std::string_view entries, std::string_view size = "3 3 3") {
  return bytes_of(fmt::format("%%MatrixMarket matrix {}\n% a comment\n\n{}\n{}", kind, size, entries));
}

Graph graph_of_matrix(const Bytes& bytes) {
  ByteSource source = source_of(bytes);
  Graph graph = read_matrix_market(source, {});
  EXPECT_EQ(broken_invariant(graph), "");
  EXPECT_EQ(graph.node_count, 3U);
  return graph;
}

std::vector<std::vector<NodeId>> rows_of(const Bytes& bytes) {
  const Graph graph = graph_of_matrix(bytes);
  std::vector<std::vector<NodeId>> rows;
  for (NodeId node = 0; node < graph.node_count; ++node)
    rows.emplace_back(graph.slots_of(node).begin(), graph.slots_of(node).end());
  return rows;
}

using Rows = std::vector<std::vector<NodeId>>;

TEST(MatrixMarket, EntriesAreReferencesFromRowsToColumns) {
  const Rows expected{{0, 2}, {}, {1}};
  EXPECT_EQ(rows_of(matrix("coordinate pattern general", "1 1\n1 3\n3 2\n")), expected);
  EXPECT_EQ(rows_of(matrix("coordinate real general", "1 1 0\n1\t3 -2.5e-3 \r\n% c\n3 2 +1.")), expected);
  EXPECT_EQ(rows_of(matrix("COORDINATE Integer General", "1 1 7\n1 3 -8\n3 2 9")), expected);
  EXPECT_EQ(rows_of(matrix("coordinate complex general", "1 1 7 0\n1 3 -8 1\n3 2 9 1e300")), expected);
  EXPECT_EQ(rows_of(gzipped(matrix("coordinate pattern general", "1 1\n1 3\n3 2\n"))), expected);
}

TEST(MatrixMarket, ValuesMayBeOfAnySizeAndOfFortran) {
  for (const char* const value : {"1e-400", "1e400", "1.0D+05", "2d0"}) {
    EXPECT_EQ(rows_of(matrix("coordinate real general", std::string("1 2 ") + value, "3 3 1")),
              rows_of(matrix("coordinate real general", "1 2 1", "3 3 1")))
        << value;
  }
  EXPECT_EQ(rows_of(matrix("coordinate unsigned-integer general", "1 2 1", "3 3 1")),
            rows_of(matrix("coordinate integer general", "1 2 1", "3 3 1")));
}

TEST(MatrixMarket, EntriesOffTheDiagonalOfOthersLeadBothWays) {
  const Rows with_diagonal{{0, 2}, {2}, {0, 1}};
  EXPECT_EQ(rows_of(matrix("coordinate pattern symmetric", "1 1\n3 1\n3 2")), with_diagonal);
  EXPECT_EQ(rows_of(matrix("coordinate complex hermitian", "1 1 1 0\n3 1 0 1\n3 2 1 1")), with_diagonal);
  EXPECT_EQ(rows_of(matrix("coordinate real skew-symmetric", "3 1 1\n3 2 -1", "3 3 2")),
            (Rows{{2}, {2}, {0, 1}}));
}

TEST(MatrixMarket, RootIsTheRowWithTheMostReferences) {
  EXPECT_EQ(graph_of_matrix(matrix("coordinate pattern general", "1 1\n2 3\n2 2")).roots,
            std::vector<NodeId>{1});
}

// ---- Bad files ----

std::string matrix_refusal(std::string_view kind, std::string_view entries, std::string_view size = "3 3 3") {
  return refusal_by(check_mtx, matrix(kind, entries, size));
}

constexpr std::string_view kPattern = "coordinate pattern general";

TEST(MatrixMarketHostile, HasAnotherBanner) {
  const std::string none = "dump: line 1: not a Matrix Market file; must begin with '%%MatrixMarket matrix'";
  EXPECT_EQ(refusal_by(check_mtx, {}),
            "dump: line 0: not a Matrix Market file; must begin with '%%MatrixMarket matrix'");
  EXPECT_EQ(refusal_by(check_mtx, bytes_of("3 3 1\n1 1\n")), none);
  EXPECT_EQ(refusal_by(check_mtx, bytes_of("%%MatrixMarket vector coordinate real general\n")), none);
  EXPECT_EQ(matrix_refusal("array real general", "1\n"),
            "dump: line 1: a dense matrix, in the format 'array'; must be 'coordinate' to be a graph");
  EXPECT_EQ(matrix_refusal("list real general", ""), "dump: line 1: the format must be 'coordinate'");
  EXPECT_EQ(matrix_refusal("coordinate real8 general", ""),
            "dump: line 1: the field must be pattern, real, integer, unsigned-integer or complex");
  EXPECT_EQ(matrix_refusal("coordinate real", ""),
            "dump: line 1: the symmetry must be general, symmetric, skew-symmetric or Hermitian");
}

TEST(MatrixMarketHostile, HasAnotherSize) {
  for (const std::string_view size : {"3 3", "3 3 x", "3 3 3 3", "-3 3 3", "3.0 3 3"}) {
    EXPECT_EQ(matrix_refusal(kPattern, "", size),
              "dump: line 4: must be three whole numbers, ROWS, COLUMNS and ENTRIES")
        << size;
  }
  EXPECT_EQ(refusal_by(check_mtx, bytes_of("%%MatrixMarket matrix coordinate pattern general\n")),
            "dump: line 1: must be three whole numbers, ROWS, COLUMNS and ENTRIES");
  EXPECT_EQ(matrix_refusal(kPattern, "", "3 4 3"),
            "dump: line 4: a matrix of 3 rows and 4 columns; must be square to be a graph");
  EXPECT_EQ(matrix_refusal(kPattern, "", "0 0 0"),
            "dump: line 4: a matrix of 0 rows; must have 1 to 4294967295");
  EXPECT_EQ(matrix_refusal(kPattern, "", "4294967296 4294967296 0"),
            "dump: line 4: a matrix of 4294967296 rows; must have 1 to 4294967295");
  EXPECT_NE(matrix_refusal(kPattern, "", "4294967295 4294967295 0").find("but only 64.0 MiB is available"),
            std::string::npos);
}

TEST(MatrixMarketHostile, HasALineThatIsNoEntry) {
  EXPECT_EQ(matrix_refusal(kPattern, "1 1\n1 1 1\n"),
            "dump: line 6: must be an entry of a pattern matrix: ROW COLUMN");
  for (const std::string_view entry : {"1 1", "1 1 x", "1 1 1 1", "1.0 1 1", "-1 1 1", "1"}) {
    EXPECT_EQ(matrix_refusal("coordinate real general", entry),
              "dump: line 5: must be an entry of a real matrix: ROW COLUMN VALUE")
        << entry;
  }
  EXPECT_EQ(matrix_refusal("coordinate complex general", "1 1 1"),
            "dump: line 5: must be an entry of a complex matrix: ROW COLUMN REAL IMAGINARY");
}

TEST(MatrixMarketHostile, HasAnEntryElsewhere) {
  for (const std::string_view entry : {"0 1", "1 0", "4 1", "1 4"}) {
    EXPECT_EQ(
        matrix_refusal(kPattern, entry),
        fmt::format("dump: line 5: an entry in row {}, column {}; must be from 1 to 3", entry[0], entry[2]));
  }
  EXPECT_EQ(matrix_refusal("coordinate pattern symmetric", "1 3"),
            "dump: line 5: an entry in row 1, column 3; those of a symmetric matrix must be below or on the "
            "diagonal");
  EXPECT_EQ(matrix_refusal("coordinate real skew-symmetric", "2 2 0"),
            "dump: line 5: an entry in row 2, column 2; those of a skew-symmetric matrix must be below the "
            "diagonal");
}

TEST(MatrixMarketHostile, HasAnotherNumberOfEntries) {
  EXPECT_EQ(matrix_refusal(kPattern, "1 1\n1 2\n"),
            "dump: line 6: the file ends after 2 of 3 entries; must have them all");
  EXPECT_EQ(matrix_refusal(kPattern, "1 1\n1 2\n1 3\n2 1\n"),
            "dump: line 8: more than the 3 entries told of; must be as many");
}

TEST(MatrixMarketSweep, CutAtEveryByte) {
  const Bytes bytes = matrix("coordinate real general", "1 1 1.5\n1 2 2.5\n3 2 7");
  EXPECT_EQ(accepted_prefixes(check_mtx, bytes), 0U);
  EXPECT_EQ(accepted_prefixes(check_mtx, gzipped(bytes)), 0U);
}

TEST(MatrixMarketSweep, BendEveryByte) {
  const Bytes bytes = matrix("coordinate complex hermitian", "1 1 1.5 0\n2 1 2.5 1\n3 2 7 -1");
  bend_every_byte(check_mtx, bytes);
  bend_every_byte(check_mtx, gzipped(bytes));
}

TEST(MatrixMarketSweep, Corpus) { read_corpus(check_mtx, JACKDAW_TEST_DATA "/mtx_corpus"); }

}  // namespace
}  // namespace jackdaw::tools
