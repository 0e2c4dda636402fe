// The graphs that the HPROF reader makes of valid dumps.
#include "tools/graph/hprof.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/graph/graph_invariants.h"
#include "tests/tools/graph/hprof_builder.h"
#include "tests/tools/graph/memory_file.h"
#include "tests/tools/graph/sample_dump.h"

namespace jackdaw::tools {
namespace {

HprofGraph read_bytes(const Bytes& bytes) {
  ByteSource source = source_of(bytes);
  HprofGraph dump = read_hprof(source);
  EXPECT_EQ(broken_invariant(dump.graph), "");
  return dump;
}

std::vector<NodeId> slots(const Graph& graph, NodeId node) {
  const auto slots = graph.slots_of(node);
  return {slots.begin(), slots.end()};
}

/// The sample's nodes, in the order of the dump.
constexpr NodeId kDerivedInstance = 0;
constexpr NodeId kBase = 1;
constexpr NodeId kDerived = 2;
constexpr NodeId kPlain = 3;
constexpr NodeId kPlainInstance = 4;
constexpr NodeId kArray = 5;
constexpr NodeId kShorts = 6;

TEST(Hprof, RealHeapHasItsKnownFigures) {
  const HprofGraph dump = read_hprof(JACKDAW_TEST_DATA "/javac.hprof.gz");
  EXPECT_EQ(broken_invariant(dump.graph), "");
  EXPECT_EQ(dump.graph.node_count, 141'417U);
  EXPECT_EQ(dump.root_records, 1'154U);
  EXPECT_EQ(dump.dangling_root_records, 0U);
  EXPECT_EQ(dump.graph.roots.size(), 1'154U);
  const Reachable found = reachable(dump.graph);
  EXPECT_EQ(found.nodes, 137'384U);
  EXPECT_EQ(found.references, 415'442U);
}

class HprofSample : public testing::TestWithParam<unsigned> {};

TEST_P(HprofSample, EdgesFollowTheRule) {
  const Graph graph = read_bytes(sample_dump(GetParam()).bytes()).graph;
  ASSERT_EQ(graph.node_count, 7U);
  // The class, the own class's field, then the super's.
  EXPECT_EQ(slots(graph, kDerivedInstance), (std::vector<NodeId>{kDerived, kArray, kShorts}));
  // Super, loader, signers, protection domain.
  EXPECT_EQ(slots(graph, kBase), (std::vector<NodeId>{kNullNode, kDerivedInstance, kNullNode, kNullNode}));
  // Super, loader, signers, protection domain, and two static fields, one of them null.
  EXPECT_EQ(slots(graph, kDerived),
            (std::vector<NodeId>{kBase, kNullNode, kNullNode, kNullNode, kArray, kNullNode}));
  EXPECT_EQ(slots(graph, kPlainInstance), std::vector<NodeId>{kPlain});
  // The class, then elements: null and dangling ones are null.
  EXPECT_EQ(slots(graph, kArray),
            (std::vector<NodeId>{kPlain, kDerivedInstance, kNullNode, kShorts, kNullNode}));
  EXPECT_TRUE(slots(graph, kShorts).empty());
}

TEST_P(HprofSample, SizesAreThoseOfThisHeap) {
  const Graph graph = read_bytes(sample_dump(GetParam()).bytes()).graph;
  EXPECT_EQ(graph.bytes_of(kDerivedInstance), 40U);  // 8 + 3 * 8 + 1 + 4, rounded up
  EXPECT_EQ(graph.bytes_of(kBase), 48U);             // 16 + 4 * 8
  EXPECT_EQ(graph.bytes_of(kDerived), 72U);          // 16 + 6 * 8 + 4, rounded up
  EXPECT_EQ(graph.bytes_of(kPlainInstance), 16U);    // 8 + 8
  EXPECT_EQ(graph.bytes_of(kArray), 56U);            // 16 + 5 * 8
  EXPECT_EQ(graph.bytes_of(kShorts), 24U);           // 16 + 3 * 2, rounded up
}

TEST_P(HprofSample, RootsOfEveryKindCountOnceEach) {
  const HprofGraph dump = read_bytes(sample_dump(GetParam()).bytes());
  EXPECT_EQ(dump.root_records, 9U);
  EXPECT_EQ(dump.dangling_root_records, 1U);
  EXPECT_EQ(dump.graph.roots, (std::vector<NodeId>{kDerivedInstance, kDerivedInstance, kArray, kArray,
                                                   kShorts, kBase, kDerivedInstance, kDerivedInstance}));
  EXPECT_EQ(dump.graph.note, "1 of 9 root records name nothing in the dump");
}

TEST_P(HprofSample, TypesHaveLayoutsAndNames) {
  const Graph graph = read_bytes(sample_dump(GetParam()).bytes()).graph;
  EXPECT_EQ(graph.type_of(kDerivedInstance).layout, NodeType::Layout::record);
  EXPECT_EQ(graph.type_of(kDerivedInstance).references, 3U);
  EXPECT_EQ(graph.type_of(kDerivedInstance).name, "Derived");
  EXPECT_EQ(graph.type_of(kPlainInstance).name, "class 0x300");
  EXPECT_EQ(graph.type_of(kDerived).layout, NodeType::Layout::array);
  EXPECT_EQ(graph.type_of(kArray).layout, NodeType::Layout::array);
  EXPECT_EQ(graph.type_of(kShorts).layout, NodeType::Layout::data);
}

TEST_P(HprofSample, GzippedReadsTheSame) {
  const Bytes plain = sample_dump(GetParam()).bytes();
  const Graph expected = read_bytes(plain).graph;
  const Graph graph = read_bytes(gzipped(plain)).graph;
  EXPECT_EQ(graph.slots, expected.slots);
  EXPECT_EQ(graph.slot_begin, expected.slot_begin);
  EXPECT_EQ(graph.node_bytes, expected.node_bytes);
  EXPECT_EQ(graph.roots, expected.roots);
}

INSTANTIATE_TEST_SUITE_P(IdentifierBytes, HprofSample, testing::Values(4U, 8U));

TEST(Hprof, ReadsTheOlderVersion) {
  HprofBuilder dump(8, "1.0.1");
  dump.begin_heap().describe_class(1).end_record();
  EXPECT_EQ(read_bytes(dump.bytes()).graph.node_count, 1U);
}

TEST(Hprof, RecordsOfUnknownTagsAreSkipped) {
  HprofBuilder dump;
  dump.begin_record(0x42).text("anything").end_record().begin_record(0xfe).end_record();
  dump.begin_heap().describe_class(1).root(1).end_record();
  dump.begin_record(0x00).u8(0x0505'0505).end_record();
  const Graph graph = read_bytes(dump.bytes()).graph;
  EXPECT_EQ(graph.node_count, 1U);
  EXPECT_EQ(graph.roots, std::vector<NodeId>{0});
}

TEST_P(HprofSample, AndroidsSubRecordsAreRead) {
  const HprofGraph dump = read_bytes(android_dump(GetParam()).bytes());
  const Graph& graph = dump.graph;
  ASSERT_EQ(graph.node_count, 4U);
  EXPECT_EQ(slots(graph, 1), std::vector<NodeId>{0});
  EXPECT_EQ(slots(graph, 2), std::vector<NodeId>{0});
  EXPECT_EQ(graph.type_of(3).layout, NodeType::Layout::data);
  EXPECT_EQ(graph.bytes_of(3), 40U);  // 16 + 3 * 8, though the elements are not in the dump
  // The root in a JNI monitor is the class.
  EXPECT_EQ(graph.roots, (std::vector<NodeId>{1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(dump.root_records, 6U) << "the object that is called unreachable is none";
  EXPECT_EQ(reachable(graph).nodes, 2U);
}

TEST(Hprof, ConstantPoolEntriesAreNoEdges) {
  HprofBuilder dump;
  dump.begin_heap().u1(0x20).identifier(1).u4(0);
  for (int i = 0; i < 6; ++i) dump.identifier(0);
  dump.u4(0).u2(2).u2(0).u1(2).identifier(1).u2(1).u1(11).u8(5).u2(0).u2(0).end_record();
  EXPECT_EQ(slots(read_bytes(dump.bytes()).graph, 0), std::vector<NodeId>(4, kNullNode));
}

TEST(Hprof, ClassWithoutInstancesMayHaveASuperThatIsNotThere) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1, 0x999).end_record();
  EXPECT_EQ(slots(read_bytes(dump.bytes()).graph, 0), std::vector<NodeId>(4, kNullNode));
}

TEST(Hprof, SuperclassChainsCanBeVeryLong) {
  constexpr std::uint64_t kClasses = 20'000;
  HprofBuilder dump;
  dump.begin_heap();
  dump.begin_instance(kClasses + 1, 1, kClasses * 8);
  for (std::uint64_t i = 0; i < kClasses; ++i) dump.identifier(kClasses + 1);
  for (std::uint64_t id = 1; id <= kClasses; ++id) {
    dump.describe_class(id, id < kClasses ? id + 1 : 0, {.fields = {HprofType::reference}});
  }
  dump.end_record();
  EXPECT_EQ(read_bytes(dump.bytes()).graph.slots_of(0).size(), kClasses + 1);
}

TEST(Hprof, FieldsOfSupersAreFoundBehindClassesWithoutFields) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1, 2).describe_class(2, 3).describe_class(
      3, 0, {.fields = {HprofType::reference}});
  dump.begin_instance(4, 1, 8).identifier(4).end_record();
  EXPECT_EQ(slots(read_bytes(dump.bytes()).graph, 3), (std::vector<NodeId>{0, 3}));
}

TEST(Hprof, NamesAreCut) {
  HprofBuilder dump;
  dump.string(7, std::string("a\x1b\n") + std::string(1000, 'b')).class_name(1, 7);
  dump.begin_heap().describe_class(1).begin_instance(2, 1, 0).end_record();
  std::string expected(256, 'b');
  expected.replace(0, 3, "a\x1b\n");
  EXPECT_EQ(read_bytes(dump.bytes()).graph.type_of(1).name, expected);
}

TEST(Hprof, NameMayComeAfterTheHeap) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1).begin_instance(2, 1, 0).end_record().class_name(1, 7).string(7, "Late");
  EXPECT_EQ(read_bytes(dump.bytes()).graph.type_of(1).name, "Late");
}

TEST(Hprof, ObjectsLargerThanTheBufferAreReadWhole) {
  const std::vector<std::uint64_t> elements(100'000, 1);
  HprofBuilder dump;
  dump.begin_heap().describe_class(1).object_array(2, 1, elements);
  dump.begin_primitive_array(3, 300'000, HprofType::int8)
      .text(std::string(300'000, 'x'))
      .describe_class(4, 1);
  dump.end_record();
  const Graph graph = read_bytes(dump.bytes()).graph;
  EXPECT_EQ(slots(graph, 1), std::vector<NodeId>(100'001, 0));
  EXPECT_EQ(graph.bytes_of(2), 300'016U);
  EXPECT_EQ(graph.slots_of(3)[0], 0U);
}

}  // namespace
}  // namespace jackdaw::tools
