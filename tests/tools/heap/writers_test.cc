// A small dump written as V8 and as Java dumps are, number by number and read back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/graph/dump_builder.h"
#include "tests/tools/graph/graph_invariants.h"
#include "tools/graph/hprof.h"
#include "tools/graph/hprof_types.h"
#include "tools/heap/hprof_writer.h"
#include "tools/heap/v8_writer.h"

namespace jackdaw::tools {
namespace {

using Numbers = std::vector<std::uint64_t>;

// An object of words that leads to a typed one, which has a certain reference back; a root to each, one of
// them certain; and a free slot.
DumpBuilder dump_with_odd_type() {
  DumpBuilder dump;
  dump.program().kinds();
  dump.block(0x10000, 0, 64, 2).object(2, 1).reference(3, 0x14000).end_list();
  dump.block(0x14000, 3, 48, 1).typed_object(1, 0x99, 1).reference(1, 0x10040).end_list();
  dump.tag(gc::DumpTag::type).number(0x99).text("A<\"\\\n\xff\">");
  dump.roots(gc::DumpRoots::stack, 7, 0x9000).root(0x8000, 0x10040).end_list();
  dump.roots(gc::DumpRoots::persistent).root(0, 0x14000).end_list();
  dump.end(64 + 48);
  return dump;
}

class Writers : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    const auto bytes = dump_with_odd_type().bytes();
    std::ofstream(folder_ + "/dump", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(void (*writer)(const HeapView&, OutputFile&)) const {
    OutputFile out("--to", folder_ + "/out");
    writer(HeapView("dump:" + folder_ + "/dump", {.headers = false}), out);
    out.commit();
  }

  const std::string folder_ = testing::TempDir() + "writers_" + std::to_string(getpid());
};

TEST_F(Writers, MakeASnapshotOfV8) {
  write(write_v8_snapshot);
  std::ifstream file(folder_ + "/out");
  const auto json = nlohmann::json::parse(file);
  EXPECT_EQ(json["snapshot"]["node_count"], 6);
  EXPECT_EQ(json["snapshot"]["edge_count"], 7);
  const auto& types = json["snapshot"]["meta"]["node_types"][0];
  EXPECT_EQ(types[3], "object");
  EXPECT_EQ(types[9], "synthetic");
  // Type, name, identifier, bytes, edges.
  EXPECT_EQ(json["nodes"], (Numbers{9, 0, 1, 0, 1, 0, 0, 9, 1, 3, 0,  2, 0, 0, 9, 2, 5,  0,  1, 0, 0,
                                    9, 3, 7, 0, 1, 0, 0, 3, 4, 9, 64, 1, 0, 0, 3, 6, 11, 48, 1, 0, 0}));
  // Type (1 element, 2 property, 3 internal, 4 hidden), name or number, 7 times the node.
  EXPECT_EQ(json["edges"], (Numbers{1, 0, 7, 1, 0, 14, 1, 1, 21, 2, 7, 35, 3, 8, 28, 4, 3, 35, 1, 1, 28}));
  EXPECT_EQ(json["strings"],
            (std::vector<std::string>{"", "(GC roots)", "(persistent handles)", "(stack of thread 7)",
                                      "words", "data", "A<\"\\\n\xef\xbf\xbd\">", "",
                                      "4096 bytes below its end (at 0x8000)"}));
}

TEST_F(Writers, MakeAJavaDump) {
  write(write_hprof);
  const HprofGraph read = read_hprof(folder_ + "/out");
  const Graph& graph = read.graph;
  EXPECT_EQ(read.root_records,
            3U);  // the thread, a root in its stack, and what persistent handles are fields of
  EXPECT_EQ(read.dangling_root_records, 0U);
  std::vector<NodeId> objects;
  for (NodeId node = 0; node < graph.node_count; ++node)
    if (graph.type_id_of(node) == HprofTypes(false).object_array(0)) objects.push_back(node);
  ASSERT_EQ(objects.size(), 2U);
  // The class, and the words without those for a header: 8 - 3 and 6 - 3.
  ASSERT_EQ(graph.slots_of(objects[0]).size(), 1U + 5);
  EXPECT_EQ(graph.slots_of(objects[0])[1 + 3], objects[1]);
  EXPECT_EQ(graph.slots_of(objects[0])[1 + 4], kNullNode);
  ASSERT_EQ(graph.slots_of(objects[1]).size(), 1U + 3);
  EXPECT_EQ(graph.slots_of(objects[1])[1 + 1], objects[0]);
  EXPECT_EQ(std::ranges::count(graph.roots, objects[0]), 1);
  EXPECT_EQ(std::ranges::count(graph.roots, objects[1]), 0);
  EXPECT_EQ(std::ranges::count(graph.slots, objects[1]), 2) << "a word, and a static field";
}

TEST_F(Writers, MakeAJavaDumpThatIsReadBackAsItWas) {
  write(write_hprof);
  const HeapView view("hprof:" + folder_ + "/out", {.as_in_file = true});
  const Graph& graph = view.graph();
  ASSERT_EQ(view.root_count(), 2U);
  EXPECT_EQ(view.group_of_root(0), "persistent handles");
  EXPECT_EQ(view.describe_root(0), "persistent handles, 0x14000 (48 bytes, A<\"\\\n\xff\">)");
  EXPECT_EQ(view.describe_root(1), "stack of thread 7, in the frame of unknown");
  EXPECT_EQ(view.describe(graph.roots[1]), "0x10040 (64 bytes, words)");
  EXPECT_EQ(reachable(graph).nodes, 2U);
  EXPECT_EQ(reachable(graph).references, 2U);
}

}  // namespace
}  // namespace jackdaw::tools
