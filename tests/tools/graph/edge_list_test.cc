// The reader of lists of edges: what it makes of good ones, and what it says of bad ones.
#include "tools/graph/edge_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/graph/bytes.h"
#include "tests/tools/graph/graph_invariants.h"
#include "tests/tools/graph/memory_file.h"
#include "tests/tools/graph/reader_sweeps.h"
#include "tools/command/input_error.h"
#include "tools/graph/text_lines.h"

namespace jackdaw::tools {
namespace {

constexpr std::string_view kList =
    "# FromNodeId\tToNodeId\n"
    "30\t1412\n"
    "\n"
    "  % a comment\n"
    "1412 30 -1.5 1e9\r\n"
    "1412 1412\n"
    "18446744073709551615   30\n"
    "30 1412";

Graph graph_of_list(const Bytes& bytes, const GraphOptions& options = {}) {
  ByteSource source = source_of(bytes);
  Graph graph = read_edge_list(source, options);
  EXPECT_EQ(broken_invariant(graph), "");
  return graph;
}

void expect_listed(const Graph& graph) {
  ASSERT_EQ(graph.node_count, 3U);
  EXPECT_EQ(graph.slots, (std::vector<NodeId>{1, 1, 0, 1, 0}));
  EXPECT_EQ(graph.slot_begin, (std::vector<std::uint64_t>{0, 2, 4, 5}));
  EXPECT_EQ(graph.roots, std::vector<NodeId>{0});  // the first of two with two references
  EXPECT_EQ(reachable(graph).nodes, 2U);
}

TEST(EdgeList, NodesAreNumberedAsTheyAppear) { expect_listed(graph_of_list(bytes_of(kList))); }

TEST(EdgeList, LinesMayEndInCarriageReturns) {
  for (const char* const end : {"\r", "\r\n", "\n"}) {
    std::string text;
    for (const char* const line : {"# comment", "1 2", "3 1"}) text += std::string(line) + end;
    EXPECT_EQ(graph_of_list(bytes_of(text)).slots.size(), 2U);
    EXPECT_EQ(refusal_by(check_edges, bytes_of(text + "x")).find("dump: line 4: "), 0U);
  }
}

TEST(EdgeList, IsReadFromAGzipFile) { expect_listed(graph_of_list(gzipped(bytes_of(kList)))); }

TEST(EdgeList, ObjectsHaveAtLeastTheirOptionsBytes) {
  const Graph graph = graph_of_list(bytes_of("1 2\n1 3\n1 4\n1 5\n1 6\n"));
  EXPECT_EQ(graph.bytes_of(0), 56U);
  EXPECT_EQ(graph.bytes_of(1), 48U);
  EXPECT_EQ(graph_of_list(bytes_of("1 2\n"), {.object_bytes = 8, .headers = false}).bytes_of(1), 8U);
}

TEST(EdgeList, LinesMayStraddleBuffersAndCommentsAnything) {
  std::string text = "#" + std::string(3 * ByteSource::kBufferBytes, 'x') + "\n";
  for (int i = 0; i < 20'000; ++i) text += "1000001 1000002\n";
  const Graph graph = graph_of_list(bytes_of(text));
  EXPECT_EQ(graph.node_count, 2U);
  EXPECT_EQ(graph.slots.size(), 20'000U);
  for (std::size_t length = TextLines::kLongestLine - 1; length <= TextLines::kLongestLine + 2; ++length) {
    for (const std::string end : {"\n", "\r", "\r\n"}) {
      const std::string comment = " #" + std::string(length - 2, 'x') + end;
      EXPECT_EQ(graph_of_list(bytes_of(comment + "1 2" + end + comment)).slots.size(), 1U) << length;
    }
  }
}

// ---- Bad files ----

TEST(EdgeListHostile, HasALineThatIsNoEdge) {
  for (const std::string line : {"1", "1 -2", "1 2.5", "a b", "1,2", "1 2 x", "1 2 3 y", "0x1 2",
                                 "1 18446744073709551616", "+1 2", "1 2 #"}) {
    EXPECT_EQ(refusal_by(check_edges, bytes_of("5 6\n\n" + line + "\n7 8\n")),
              "dump: line 3: must be an edge: two whole numbers, FROM and TO; only numbers may follow")
        << line;
  }
}

TEST(EdgeListHostile, HasNoEdge) {
  EXPECT_EQ(refusal_by(check_edges, {}), "dump: line 0: the file ends without an edge; must have one");
  EXPECT_EQ(refusal_by(check_edges, bytes_of("# 1 2\n\n")),
            "dump: line 2: the file ends without an edge; must have one");
}

TEST(EdgeListHostile, HasALineThatIsTooLong) {
  const std::string line = "1 2" + std::string(TextLines::kLongestLine - 3, ' ');
  EXPECT_EQ(refusal_by(check_edges, bytes_of(line + "\n")), "accepted");
  EXPECT_NE(refusal_by(check_edges, bytes_of("1 2\n" + std::string(5000, ' ') + "x")), "accepted");
  EXPECT_EQ(refusal_by(check_edges, bytes_of(line + " \n")),
            "dump: line 1: more than 4096 bytes; must be fewer");
}

// A megabyte of zeros takes little room when it is packed.
TEST(EdgeListHostile, IsNotReadOnBehindALineThatIsTooLong) {
  ByteSource source = source_of(gzipped(Bytes(1 << 20, 0)));
  EXPECT_THROW((void)read_edge_list(source, GraphOptions{}), InputError);
  EXPECT_EQ(source.offset(), TextLines::kLongestLine + 1);
}

TEST(EdgeListHostile, HasACommentThatIsTooLong) {
  const std::string comment = "#" + std::string(TextLines::kLongestComment - 1, 'x');
  EXPECT_EQ(refusal_by(check_edges, bytes_of(comment + "\n1 2\n")), "accepted");
  EXPECT_EQ(refusal_by(check_edges, bytes_of(comment + "x\n1 2\n")),
            "dump: line 1: a comment of more than 1048576 bytes; must be shorter");
}

TEST(EdgeListHostile, TakesMoreMemoryThanThereIs) {
  std::string text = "1 2\n";
  while (text.size() < 24'000'000) text += text;
  const std::string message = refusal_by(check_edges, gzipped(bytes_of(text)));
  EXPECT_NE(message.find("what was read so far needs 64.0 MiB of memory, but only 64.0 MiB is available"),
            std::string::npos)
      << message;
  ByteSource source = source_of(bytes_of("1 2\n3 4\n"));
  EXPECT_THROW((void)read_edge_list(source, {.memory_limit_bytes = 1000, .heap_copies = 10}), InputError);
}

TEST(EdgeListSweep, CutAtEveryByte) {
  // All of a list's prefixes from its first edge on are lists, but those that end behind one number.
  EXPECT_GT(accepted_prefixes(check_edges, bytes_of(kList)), 40U);
  EXPECT_EQ(accepted_prefixes(check_edges, gzipped(bytes_of(kList))), 0U);
}

TEST(EdgeListSweep, BendEveryByte) {
  bend_every_byte(check_edges, bytes_of(kList));
  bend_every_byte(check_edges, gzipped(bytes_of(kList)));
}

TEST(EdgeListSweep, Corpus) { read_corpus(check_edges, JACKDAW_TEST_DATA "/edges_corpus"); }

}  // namespace
}  // namespace jackdaw::tools
