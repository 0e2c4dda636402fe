// The reader of V8's heap snapshots: what it makes of good ones, and what it says of bad ones.
#include "tools/graph/v8_snapshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/refusal.h"
#include "tests/tools/graph/bytes.h"
#include "tests/tools/graph/graph_invariants.h"
#include "tests/tools/graph/memory_file.h"
#include "tests/tools/graph/reader_sweeps.h"
#include "tools/graph/graph_names.h"

namespace jackdaw::tools {
namespace {

/// The parts of a snapshot, as text. By default: a root that leads to an object twice and weakly to a string;
/// the object, which leads to itself; the string; a function of 33 bytes that nothing leads to.
struct Snapshot {
  std::string node_fields = R"("type","name","id","self_size","edge_count","detachedness")";
  std::string node_kinds = R"("synthetic","object","string","closure")";
  std::string edge_fields = R"("type","name_or_index","to_node")";
  std::string edge_kinds = R"("property","weak")";
  std::string node_count = "4";
  std::string edge_count = "4";
  std::string nodes = "0,0,1,0,3,0, 1,1,3,24,1,0, 2,2,5,8,0,0, 3,3,7,33,0,0";
  std::string edges = "0,0,6, 1,0,12, 0,4,6, 0,1,6";
  std::string strings = R"("","Point","text","f","\ud800")";
  std::string end = "}";

  [[nodiscard]] Bytes bytes() const {
    return bytes_of(fmt::format(
        R"({{"snapshot":{{"meta":{{"node_fields":[{}],"node_types":[[{}],"number"],"edge_fields":[{}],)"
        R"("edge_types":[[{}],"node"]}},"node_count":{},"edge_count":{}}},"nodes":[{}],"edges":[{}],)"
        R"("trace_tree":[1,[2,null]],"locations":[],"strings":[{}]{})",
        node_fields, node_kinds, edge_fields, edge_kinds, node_count, edge_count, nodes, edges, strings,
        end));
  }
};

Graph graph_of_snapshot(const Bytes& bytes, const GraphOptions& options = {}) {
  ByteSource source = source_of(bytes);
  Graph graph = read_v8_snapshot(source, options);
  EXPECT_EQ(broken_invariant(graph), "");
  return graph;
}

std::vector<NodeId> targets(const Graph& graph, NodeId node) {
  return {graph.slots_of(node).begin(), graph.slots_of(node).end()};
}

void expect_sample(const Graph& graph) {
  ASSERT_EQ(graph.node_count, 4U);
  EXPECT_EQ(targets(graph, 0), (std::vector<NodeId>{1, 1}));
  EXPECT_EQ(targets(graph, 1), std::vector<NodeId>{1});
  EXPECT_TRUE(targets(graph, 2).empty());
  EXPECT_TRUE(targets(graph, 3).empty());
  EXPECT_EQ(graph.roots, std::vector<NodeId>{0});
  EXPECT_EQ(reachable(graph).nodes, 2U);
}

TEST(V8Snapshot, HasAllEdgesButWeakOnes) { expect_sample(graph_of_snapshot(Snapshot{}.bytes())); }

TEST(V8Snapshot, MayHaveNoWeakEdges) {
  Snapshot snapshot;
  snapshot.edge_kinds.replace(snapshot.edge_kinds.find("weak"), 4, "feeble");
  const Graph graph = graph_of_snapshot(snapshot.bytes());
  EXPECT_GT(graph.slots.size(), graph_of_snapshot(Snapshot{}.bytes()).slots.size());
}

TEST(V8Snapshot, IsReadFromAGzipFile) { expect_sample(graph_of_snapshot(gzipped(Snapshot{}.bytes()))); }

TEST(V8Snapshot, NamesTypesByConstructorsAndKinds) {
  const Graph graph = graph_of_snapshot(Snapshot{}.bytes());
  EXPECT_EQ(graph.type_of(0).name, "(synthetic)");
  EXPECT_EQ(graph.type_of(1).name, "Point");
  EXPECT_EQ(graph.type_of(2).name, "(string)");
  EXPECT_EQ(graph.type_of(3).name, "(closure)");
  EXPECT_EQ(graph.type_of(1).layout, NodeType::Layout::array);
  EXPECT_EQ(graph.type_of(2).layout, NodeType::Layout::data);
}

TEST(V8Snapshot, HasRoomForSlots) {
  const Graph typed = graph_of_snapshot(Snapshot{}.bytes());
  EXPECT_EQ(typed.bytes_of(0), 32U);  // 16 + 2 * 8
  EXPECT_EQ(typed.bytes_of(1), 24U);
  EXPECT_EQ(typed.bytes_of(2), 8U);
  EXPECT_EQ(typed.bytes_of(3), 40U);
  const Graph plain = graph_of_snapshot(Snapshot{}.bytes(), {.headers = false});
  EXPECT_EQ(plain.bytes_of(0), 16U);
  EXPECT_EQ(plain.bytes_of(1), 24U);
}

TEST(V8Snapshot, KeepsSizesAndIdentifiersToBeLookedInto) {
  ByteSource source = source_of(Snapshot{}.bytes());
  const Graph graph = read_v8_snapshot(source, {.as_in_file = true});
  EXPECT_EQ(graph.identifiers, (std::vector<std::uint64_t>{1, 3, 5, 7}));
  EXPECT_EQ(graph.node_bytes, (std::vector<std::uint64_t>{0, 24, 8, 33}));
}

TEST(V8Snapshot, NamesWhatIsLookedInto) {
  Snapshot snapshot;
  snapshot.node_count = "5";
  snapshot.edge_count = "7";
  snapshot.edge_kinds = R"("property","weak","element","context","internal","hidden")";
  snapshot.nodes = "0,5,1,0,6,0, 1,1,3,24,1,0, 2,2,5,8,0,0, 3,3,7,33,0,0, 3,0,9,33,0,0";
  snapshot.edges = "0,4,6, 1,0,12, 2,7,12, 3,2,18, 4,1,24, 5,3,24, 0,99,6";
  snapshot.strings = R"x("","Point","text","f","next","(GC roots)")x";
  ByteSource source = source_of(snapshot.bytes());
  const Graph graph = read_v8_snapshot(source, {.as_in_file = true});
  std::vector<std::string> slots;
  for (std::size_t slot = 0; slot < 5; ++slot) slots.push_back(graph.names->of_slot(graph, 0, slot));
  EXPECT_EQ(slots, (std::vector<std::string>{".next", "[7]", "variable text", "internal Point", ""}));
  EXPECT_EQ(graph.names->of_slot(graph, 1, 0), ".") << "there is no such string";
  EXPECT_EQ(graph.names->of_object(graph, 0), "(synthetic) (GC roots)");
  EXPECT_EQ(graph.names->of_object(graph, 1), "");
  EXPECT_EQ(graph.names->of_object(graph, 3), "(closure) f");
  EXPECT_EQ(graph.names->of_object(graph, 4), "") << "it has no name";
  EXPECT_EQ(graph_of_snapshot(snapshot.bytes()).names, nullptr) << "names were not asked for";
}

TEST(V8Snapshot, FieldsMayHaveAnyOrder) {
  Snapshot snapshot;
  snapshot.node_fields = R"("edge_count","self_size","id","name","type","detachedness")";
  snapshot.nodes = "3,0,1,0,0,0, 1,24,3,1,1,0, 0,8,5,2,2,0, 0,33,7,3,3,0";
  snapshot.edge_fields = R"("to_node","type","name_or_index")";
  snapshot.edges = "6,0,0, 12,1,0, 6,0,4, 6,0,1";
  expect_sample(graph_of_snapshot(snapshot.bytes()));
}

TEST(V8Snapshot, NamesMayHaveEscapesThatJsonForbids) {
  Snapshot snapshot;
  for (const std::string_view name : {"\\ud8AB\\\\udfff", "\\uDfff", "\\ud83d\\ude00"}) {
    snapshot.strings = fmt::format(R"("","{}","text","f")", name);
    EXPECT_NE(graph_of_snapshot(snapshot.bytes()).type_of(1).name, "") << name;
  }
  snapshot.strings = R"("","\u00c9toile\n","text","f")";
  EXPECT_EQ(graph_of_snapshot(snapshot.bytes()).type_of(1).name, "\u00c9toile\n");
}

TEST(V8Snapshot, LongNamesAreCutBetweenLetters) {
  Snapshot snapshot;
  std::string letters;
  for (int i = 0; i < 200; ++i) letters += "\u00c9";
  snapshot.strings = fmt::format(R"("","x{}","text","f")", letters);
  EXPECT_EQ(graph_of_snapshot(snapshot.bytes()).type_of(1).name, "x" + letters.substr(0, 254));
}

TEST(V8Snapshot, TextsMayHaveAnyLength) {
  Snapshot snapshot;
  const std::string text(3 << 20, 'x');
  snapshot.strings = fmt::format(R"("{}","Point{}","{}","f")", text, text, text);
  const Graph graph = graph_of_snapshot(snapshot.bytes());
  expect_sample(graph);
  EXPECT_EQ(graph.type_of(1).name, "Point" + text.substr(0, 251));
}

// Wherever a long text is cut, the next one begins behind its end.
TEST(V8Snapshot, LongTextsAreCutBetweenEscapes) {
  std::string tail = R"(\u00c9\ud83d\"\\)";
  for (int i = 0; i < 6; ++i) tail += tail + "\u20ac";
  for (std::size_t letters = 4000; letters < 4100; ++letters) {
    SCOPED_TRACE(letters);
    Snapshot snapshot;
    snapshot.strings = fmt::format(R"("{}{}","Point","text","f")", std::string(letters, 'x'), tail);
    const Graph graph = graph_of_snapshot(snapshot.bytes());
    expect_sample(graph);
    EXPECT_EQ(graph.type_of(1).name, "Point");
  }
}

TEST(V8Snapshot, TextsMayHaveBytesThatAreNoUtf8) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"\u00e9\u20ac\U0001f600", "\u00e9\u20ac\U0001f600"},
      {"a\xff", "a\ufffd"},
      {"\x80z", "\ufffdz"},
      {"\xc3", "\ufffd"},
      {"\xe2\x82z", "\ufffdz"},
      {"\xc0\xaf", "\ufffd\ufffd"},
      {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
      {"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
      {"\xf0\x9f\x98\\n", "\ufffd\n"},
  };
  for (const auto& [name, expected] : names) {
    Snapshot snapshot;
    snapshot.strings = fmt::format(R"("{}","{}","{}","f")", name, name, name);
    snapshot.end = fmt::format(R"(,"{}":"{}"}})", name, name);
    const Graph graph = graph_of_snapshot(snapshot.bytes());
    expect_sample(graph);
    EXPECT_EQ(graph.type_of(1).name, expected);
  }
}

// ---- Bad files ----

std::string snapshot_refusal(const Snapshot& snapshot) { return refusal_by(check_v8, snapshot.bytes()); }

void expect_ending(const std::string& message, const std::string& ending) {
  EXPECT_TRUE(message.starts_with("dump: byte ") && message.ends_with(": " + ending)) << message;
}

TEST(V8Hostile, IsAnotherFile) {
  EXPECT_EQ(refusal_by(check_v8, {}),
            "dump: byte 0: the file ends in the middle of its JSON; must be a whole file");
  EXPECT_EQ(refusal_by(check_v8, bytes_of("JAVA PROFILE")),
            "dump: byte 0: not JSON; must be a heap snapshot as Chrome and Node write them");
  EXPECT_EQ(refusal_by(check_v8, bytes_of(R"({"a":[1,2.5,-3,null,true,"x",{}]})")),
            "dump: byte 33: the JSON ends without 'snapshot', 'nodes', 'edges' and 'strings'; must be a heap "
            "snapshot as Chrome and Node write them");
  // No key may pass for the way to a list.
  EXPECT_NE(refusal_by(check_v8, bytes_of(R"({"nodes[]":1,"a":[{"nodes":[1]}],"":{"nodes":[1]}})")),
            "accepted");
}

TEST(V8Hostile, HasTextsThatJsonForbids) {
  const std::string text(2 << 20, 'x');
  for (const std::string_view end : {"\n", "\\x", "\\u12\""}) {
    expect_ending(snapshot_refusal({.strings = fmt::format(R"("{}")", end)}),
                  "not JSON; must be a heap snapshot as Chrome and Node write them");
  }
  expect_ending(snapshot_refusal({.strings = fmt::format("\"{}\n\"", text)}),
                "not JSON; must be a heap snapshot as Chrome and Node write them");
  expect_ending(snapshot_refusal({.strings = fmt::format("\"{}", text), .end = ""}),
                "the file ends in the middle of its JSON; must be a whole file");
  const std::string message = snapshot_refusal({.strings = fmt::format("1{}", std::string(2 << 20, '0'))});
  EXPECT_TRUE(message.find("its JSON value of a MiB") != std::string::npos) << message;
}

TEST(V8Hostile, LacksFields) {
  expect_ending(snapshot_refusal({.node_fields = R"("type","name","id","self_size")"}),
                "'node_fields' of 'meta' does not have 'edge_count'; must have");
  expect_ending(snapshot_refusal({.edge_fields = R"("type")"}),
                "'edge_fields' of 'meta' does not have 'to_node'; must have");
  expect_ending(refusal_by(check_v8, bytes_of(R"({"nodes":[)")),
                "'node_fields' of 'meta' does not have 'type'; must have");
}

TEST(V8Hostile, HasListsOutOfOrder) {
  expect_ending(refusal_by(check_v8, bytes_of(R"({"edges":[)")),
                "the edges come before the nodes; must come after them");
  expect_ending(refusal_by(check_v8, bytes_of(R"({"strings":[)")),
                "the strings come before the edges; must come after them");
  expect_ending(snapshot_refusal({.end = R"(,"nodes":[]})"}), "a second list of nodes; must be the only one");
  expect_ending(snapshot_refusal({.end = R"(,"edges":[]})"}), "a second list of edges; must be the only one");
  expect_ending(snapshot_refusal({.end = R"(,"strings":[]})"}),
                "a second list of strings; must be the only one");
}

TEST(V8Hostile, HasOtherValuesInLists) {
  for (const std::string_view value : {"-1", "1.5", "null", "\"1\"", "[]", "{}", "18446744073709551616"}) {
    expect_ending(snapshot_refusal({.nodes = "0,0,1,0," + std::string(value)}),
                  "this is no whole number; must be one in 'nodes' and 'edges'");
  }
  expect_ending(snapshot_refusal({.strings = "\"\",1"}), "this is no string; must be one in 'strings'");
  expect_ending(snapshot_refusal({.node_count = "\"4\""}),
                "this is no whole number; must be one in 'node_count' and 'edge_count'");
}

TEST(V8Hostile, HasOtherNumbersOfRecords) {
  expect_ending(snapshot_refusal({.node_count = "5"}),
                "there are 4 nodes, but the snapshot tells of 5; must be as many");
  expect_ending(snapshot_refusal({.edge_count = "3"}),
                "there are 4 edges, but the snapshot tells of 3; must be as many");
  expect_ending(snapshot_refusal({.nodes = "0,0,1,0,3"}),
                "the list ends in the middle of a record; must have all 6 numbers of its nodes");
  expect_ending(snapshot_refusal({.node_count = "0", .edge_count = "0", .nodes = "", .edges = ""}),
                "the snapshot has no node; must have one");
}

TEST(V8Hostile, HasOtherNumbersOfEdges) {
  Snapshot snapshot;
  snapshot.nodes.replace(snapshot.nodes.find("24,1"), 4, "24,0");
  expect_ending(snapshot_refusal(snapshot), "more edges than the nodes tell of; must be as many");
  snapshot.nodes.replace(snapshot.nodes.find("24,0"), 4, "24,2");
  expect_ending(snapshot_refusal(snapshot), "fewer edges than the nodes tell of; must be as many");
}

TEST(V8Hostile, RefersToWhatIsNotThere) {
  expect_ending(snapshot_refusal({.nodes = "4,0,1,0,0,0"}), "a node of type 4; must be below 4");
  expect_ending(snapshot_refusal({.edges = "2,0,6"}), "an edge of type 2; must be below 2");
  expect_ending(snapshot_refusal({.edges = "0,0,7"}),
                "an edge to 7, where no node begins; must be a multiple of 6 below 24");
  expect_ending(snapshot_refusal({.edges = "0,0,24"}),
                "an edge to 24, where no node begins; must be a multiple of 6 below 24");
  expect_ending(snapshot_refusal({.strings = R"("","Point")"}), "a node's name is string 3; must be below 2");
}

TEST(V8Hostile, TakesMoreMemoryThanThereIs) {
  const std::string large = std::to_string(std::uint64_t{1} << 40);
  const std::string message = snapshot_refusal({.nodes = "0,0,1," + large + ",0,0"});
  EXPECT_NE(message.find("needs 1.0 TiB of memory, but only 64.0 MiB is available"), std::string::npos)
      << message;
}

TEST(V8Hostile, HasSizesWhoseSumHasMoreThan64Bits) {
  constexpr std::string_view kHalf = "9223372036854775808";
  ByteSource source = source_of(
      Snapshot{.nodes = fmt::format("0,0,1,{},3,0, 1,1,3,{},1,0, 2,2,5,8,0,0, 3,3,7,33,0,0", kHalf, kHalf)}
          .bytes());
  const std::string message = message_of<InputError>(
      [&] { return read_v8_snapshot(source, {.as_in_file = true, .heap_copies = 0}); });
  expect_ending(message, "the objects so far have 2^64 bytes or more; must have fewer");
}

TEST(V8Hostile, GzipBombsStopEarly) {
  constexpr std::size_t kPieces = 2'000'000;
  const auto repeated = [](std::string_view piece) {
    std::string text(piece);
    while (text.size() < kPieces * piece.size()) text += text;
    return text;
  };
  expect_ending(snapshot_refusal({.nodes = repeated("1,1,1,8,0,0,")}),
                "what was read so far needs 64.0 MiB of memory, but only 64.0 MiB is available");
  for (const std::string& text :
       {repeated("xx"), "\"" + repeated("x"), repeated(" "), "[" + repeated("[],")}) {
    const std::string message = refusal_by(check_v8, gzipped(bytes_of("[0," + text)));
    EXPECT_TRUE(message.find("JSON") != std::string::npos) << message;
  }
  expect_ending(refusal_by(check_v8, bytes_of(repeated("["))),
                "values nested deeper than 1000; must be a heap snapshot");
}

TEST(V8Sweep, CutAtEveryByte) {
  EXPECT_EQ(accepted_prefixes(check_v8, Snapshot{}.bytes()), 0U);
  EXPECT_EQ(accepted_prefixes(check_v8, gzipped(Snapshot{}.bytes())), 0U);
}

TEST(V8Sweep, BendEveryByte) {
  bend_every_byte(check_v8, Snapshot{}.bytes());
  bend_every_byte(check_v8, gzipped(Snapshot{}.bytes()));
}

TEST(V8Sweep, Corpus) { read_corpus(check_v8, JACKDAW_TEST_DATA "/v8_corpus"); }

}  // namespace
}  // namespace jackdaw::tools
