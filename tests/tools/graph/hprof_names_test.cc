// The names in a Java heap dump: of types, classes, fields, threads and frames.
#include "tools/graph/hprof_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/tools/graph/leaking_dump.h"
#include "tests/tools/graph/memory_file.h"
#include "tests/tools/graph/reader_sweeps.h"
#include "tests/tools/graph/sample_dump.h"
#include "tools/graph/hprof.h"

namespace jackdaw::tools {
namespace {

Graph named_graph(const Bytes& bytes) {
  ByteSource source = source_of(bytes);
  return read_hprof(source, {.with_names = true}).graph;
}

class HprofNamesOfALeak : public testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] NodeId node(std::uint64_t identifier) const {
    const auto found = std::ranges::find(graph_.identifiers, identifier);
    return static_cast<NodeId>(found - graph_.identifiers.begin());
  }
  [[nodiscard]] std::string type(std::uint64_t identifier) const {
    return graph_.type_of(node(identifier)).name;
  }
  [[nodiscard]] std::string object(std::uint64_t identifier) const {
    return graph_.names->of_object(graph_, node(identifier));
  }
  [[nodiscard]] std::string slot(std::uint64_t identifier, std::size_t slot) const {
    return graph_.names->of_slot(graph_, node(identifier), slot);
  }

  const Graph graph_ = named_graph(leaking_dump(3, GetParam()).bytes());
};

TEST_P(HprofNamesOfALeak, TypesAreNamedAsInJava) {
  EXPECT_EQ(broken_invariant(graph_), "");
  EXPECT_EQ(type(kMap), "java.util.HashMap");
  EXPECT_EQ(type(kTable), "java.util.HashMap$Node[]");
  EXPECT_EQ(type(kFirstArray), "byte[]");
  EXPECT_EQ(type(kLeakClass), "java.lang.Class");
  EXPECT_EQ(object(kLeakClass), "class org.example.Leak");
  EXPECT_EQ(object(kMap), "");
}

TEST_P(HprofNamesOfALeak, ReferencesAreNamedByFields) {
  EXPECT_EQ(slot(kLeakClass, 1), "class loader");
  EXPECT_EQ(slot(kLeakClass, 4), "static field org.example.Leak.other");
  EXPECT_EQ(slot(kLeakClass, 5), "static field org.example.Leak.cache");
  EXPECT_EQ(slot(kMap, 0), "class");
  EXPECT_EQ(slot(kMap, 1), ".table");
  EXPECT_EQ(slot(kTable, 0), "class");
  EXPECT_EQ(slot(kTable, 3), "[2]");
  EXPECT_EQ(slot(kFirstEntry, 2), ".value");
  EXPECT_EQ(slot(kWorkerThread, 2), ".name") << "a super class's";
}

TEST_P(HprofNamesOfALeak, RootsAreNamedByThreadsAndFrames) {
  std::vector<std::string> roots;
  for (std::size_t root = 0; root < graph_.roots.size(); ++root)
    roots.push_back(graph_.names->group_of_root(root) + ": " + graph_.names->place_of_root(graph_, root));
  EXPECT_EQ(roots, (std::vector<std::string>{
                       "threads: main", "threads: W\u20ac",
                       "stack of thread main: in the frame of org.example.Leak.fill (Leak.java:12)",
                       "stack of thread W\u20ac: JNI local in the frame of org.example.Leak.main",
                       "JNI globals: ", "system classes: java.lang.Thread"}));
}

INSTANTIATE_TEST_SUITE_P(IdentifierBytes, HprofNamesOfALeak, testing::Values(4U, 8U));

TEST(HprofNames, ArraysOfAllPrimitivesHaveNames) {
  HprofBuilder dump;
  dump.begin_heap();
  for (unsigned type = 4; type <= 11; ++type)
    dump.begin_primitive_array(type, 0, static_cast<HprofType>(type));
  const Graph graph = named_graph(dump.end_record().bytes());
  std::vector<std::string> names;
  for (NodeId node = 0; node < graph.node_count; ++node) names.push_back(graph.type_of(node).name);
  EXPECT_EQ(names, (std::vector<std::string>{"boolean[]", "char[]", "float[]", "double[]", "byte[]",
                                             "short[]", "int[]", "long[]"}));
}

TEST(HprofNames, ArraysOfArraysHaveNames) {
  HprofBuilder dump;
  dump.string(1, "[[I").string(2, "[[Lorg/A;").string(3, "java.lang.String[]").string(4, "[");
  dump.begin_heap();
  for (std::uint64_t id = 1; id <= 4; ++id) dump.object_array(0x10 + id, 0x20 + id, {});
  dump.end_record();
  for (std::uint64_t id = 1; id <= 4; ++id) dump.class_name(0x20 + id, id);
  const Graph graph = named_graph(dump.bytes());
  EXPECT_EQ(graph.type_of(0).name, "int[][]");
  EXPECT_EQ(graph.type_of(1).name, "org.A[][]");
  EXPECT_EQ(graph.type_of(2).name, "java.lang.String[]") << "as Android writes it";
  EXPECT_EQ(graph.type_of(3).name, "[]") << "no name of Java's";
}

TEST(HprofNames, OneClassMayHaveInstancesAndArrays) {
  HprofBuilder dump;
  dump.begin_heap().describe_class(1).begin_instance(2, 1, 0).object_array(3, 1, {2}).end_record();
  const Graph graph = named_graph(dump.bytes());
  EXPECT_EQ(broken_invariant(graph), "");
  EXPECT_EQ(graph.type_of(1).layout, NodeType::Layout::record);
  EXPECT_EQ(graph.type_of(2).layout, NodeType::Layout::array);
}

TEST(HprofNames, RealHeapHasThem) {
  const Graph graph = read_hprof(JACKDAW_TEST_DATA "/javac.hprof.gz", {.with_names = true}).graph;
  std::vector<std::string> groups;
  for (std::size_t root = 0; root < graph.roots.size(); ++root)
    groups.push_back(graph.names->group_of_root(root));
  EXPECT_NE(std::ranges::find(groups, "stack of thread main"), groups.end());
  EXPECT_NE(std::ranges::find(groups, "stack of thread Reference Handler"), groups.end());
}

/// Reads with names, asks for all of them, and finds what a graph must not be.
ReadOutcome check_named_hprof(std::span<const std::uint8_t> bytes) {
  return check_reader(bytes, [](ByteSource& source) {
    Graph graph = read_hprof(source, {.memory_limit_bytes = kReaderMemoryBytes, .with_names = true}).graph;
    for (NodeId node = 0; node < graph.node_count; ++node) {
      (void)graph.names->of_object(graph, node);
      for (std::size_t slot = 0; slot < graph.slots_of(node).size(); ++slot)
        (void)graph.names->of_slot(graph, node, slot);
    }
    for (std::size_t root = 0; root < graph.roots.size(); ++root) {
      (void)graph.names->group_of_root(root);
      (void)graph.names->place_of_root(graph, root);
    }
    return graph;
  });
}

TEST(HprofNames, WithstandBentAndCutDumps) {
  const Bytes leak = leaking_dump(1, 4).bytes();
  EXPECT_EQ(refusal_by(check_named_hprof, leak), "accepted");
  bend_every_byte(check_named_hprof, leak);
  bend_every_byte(check_named_hprof, sample_dump(4).bytes());
  EXPECT_EQ(accepted_prefixes(check_named_hprof, leak), 1U) << "without its last, empty record";
}

TEST(HprofNames, WithstandTheCorpus) { read_corpus(check_named_hprof, JACKDAW_TEST_DATA "/hprof_corpus"); }

}  // namespace
}  // namespace jackdaw::tools
