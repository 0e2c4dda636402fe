// Reports of a small dump and of a generated graph, and why objects in them are alive.
#include "tools/heap/heap_report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/refusal.h"
#include "tests/tools/graph/dump_builder.h"
#include "tests/tools/graph/leaking_dump.h"
#include "tools/command/input_error.h"
#include "tools/heap/why.h"

namespace jackdaw::tools {
namespace {

class HeapOfADump : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "inspected_" + std::to_string(getpid()) + ".dump";
    const auto bytes = small_dump().bytes();
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    view_.emplace("dump:" + path_, GraphOptions{.headers = false});
  }
  void TearDown() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string refusal_of(const std::string& wanted) const {
    return message_of<InputError>([&] { return find_why(*view_, wanted, 1); });
  }

  std::string path_;
  std::optional<HeapView> view_;
};

TEST_F(HeapOfADump, IsCounted) {
  const HeapReport report = describe_heap(*view_, 10);
  EXPECT_EQ(report.objects, 5U);
  EXPECT_EQ(report.unreachable_objects, 1U);
  EXPECT_EQ(report.bytes, 2U * 32 + 64 + 4096 + 16);
  EXPECT_EQ(report.references, 4U);
  EXPECT_EQ(report.roots, 3U);
  ASSERT_EQ(report.types.size(), 3U);
  EXPECT_EQ(report.types[0].name, "Node");
  EXPECT_EQ(report.types[0].bytes, 4096U);
  EXPECT_EQ(report.types[1].name, "words");
  EXPECT_EQ(report.types[1].objects, 3U);
  ASSERT_EQ(report.sizes.size(), 4U);
  EXPECT_EQ(report.sizes[1].from_bytes, 32U);
  EXPECT_EQ(report.sizes[1].objects, 2U);
}

TEST_F(HeapOfADump, HasBlocksThatAreNotFull) {
  const HeapReport report = describe_heap(*view_, 10);
  ASSERT_EQ(report.blocks.size(), 4U);
  EXPECT_EQ(report.blocks[0].object_bytes, 16U);  // the emptiest
  EXPECT_EQ(report.blocks[0].unused_bytes(), 16384U - 16);
  EXPECT_EQ(report.blocks[2].object_bytes, 32U);
  EXPECT_EQ(report.blocks[2].live_bytes, 3U * 32);
  EXPECT_EQ(report.blocks[2].by_share, (std::array<std::uint64_t, 5>{0, 1, 0, 0, 0}));
  EXPECT_EQ(report.blocks[3].object_bytes, 0U);
  EXPECT_EQ(report.blocks[3].by_share, (std::array<std::uint64_t, 5>{1, 0, 0, 0, 0}));
  EXPECT_NE(format_heap(report).find("      65536       61264"), std::string::npos);
  EXPECT_NE(format_heap(report).find("  large ones\n"), std::string::npos);
}

TEST_F(HeapOfADump, IsKeptByItsRoots) {
  const HeapReport report = describe_heap(*view_, 10);
  ASSERT_EQ(report.groups.size(), 2U);
  EXPECT_EQ(report.groups[0].where, "stack of thread 7");
  EXPECT_EQ(report.groups[0].roots, 2U);
  EXPECT_EQ(report.groups[0].retained_bytes, 2U * 32 + 64 + 4096);
  EXPECT_FALSE(report.groups[0].is_certain);
  EXPECT_EQ(report.groups[1].retained_bytes, 0U);  // a reference keeps it, too
  EXPECT_TRUE(report.groups[1].is_certain);
  ASSERT_EQ(report.root_words.size(), 2U);
  EXPECT_EQ(report.root_words[0].retained_bytes, 4096U);
  EXPECT_EQ(report.root_words[0].what,
            "stack of thread 7, 4080 bytes below its end, in the frame of lib + 0x100f (at 0x8010)");
  EXPECT_EQ(report.root_words[1].retained_bytes, 2U * 32 + 64);
  ASSERT_EQ(report.keepers.size(), 5U);
  EXPECT_EQ(report.keepers[0].what, "0x18000 (4096 bytes, Node)");
  EXPECT_EQ(report.keepers[1].what, "0x10000 (32 bytes, words)");
  EXPECT_EQ(report.keepers[1].retained_bytes, 2U * 32 + 64);
  EXPECT_EQ(report.keepers[2].what, "0x14000 (64 bytes, data)");
  EXPECT_EQ(report.keepers[2].depth, 1U) << "the object before keeps it";
}

TEST_F(HeapOfADump, SaysWhyAnObjectIsAlive) {
  const auto ways = find_why(*view_, "0x14010", 1);
  ASSERT_EQ(ways.size(), 1U);
  ASSERT_EQ(ways[0].steps.size(), 3U);
  EXPECT_TRUE(ways[0].steps[0].what.starts_with("stack of thread 7, 4096 bytes below its end"));
  EXPECT_TRUE(ways[0].steps[0].what.ends_with("leading 4 bytes into it"));
  EXPECT_EQ(ways[0].steps[1].what, "0x10000 (32 bytes, words)");
  EXPECT_FALSE(ways[0].steps[1].is_certain);
  EXPECT_EQ(ways[0].steps[2].what, "0x14000 (64 bytes, data)");
  EXPECT_EQ(find_why(*view_, "Nod", 5).size(), 1U);
  EXPECT_EQ(find_why(*view_, "words", 2).size(), 2U);
}

TEST_F(HeapOfADump, RefusesWhatIsNotThere) {
  EXPECT_EQ(refusal_of("0x99999"), "--why 0x99999: no live object is there");
  EXPECT_EQ(refusal_of("0x10020"), "--why 0x10020: no live object is there");
  EXPECT_EQ(refusal_of("0x10040"), "--why 0x10040: nothing leads there from the roots");
  EXPECT_EQ(refusal_of("Tree"), "--why Tree: must be an address, or a part of a type's name");
}

TEST_F(HeapOfADump, HasNamesThatATerminalWouldObey) {
  DumpBuilder dump;
  dump.program().tag(gc::DumpTag::object_file).number(0).text("/lib/\x1b[2J").number(4096).number(0x2000);
  dump.number(5).end_list().kinds().block(0x10000, 3, 32, 1).typed_object(1, 7, 0).end_list();
  dump.tag(gc::DumpTag::type).number(7).text("\x1b]0;Node\x07\xff");
  dump.roots(gc::DumpRoots::static_data).root(0x2000, 0x10000).end_list().end(32);
  std::ofstream(path_, std::ios::binary) << std::string(dump.bytes().begin(), dump.bytes().end());
  const HeapView view("dump:" + path_, {.headers = false});
  const HeapReport report = describe_heap(view, 10);
  const std::string text = format_heap(report) + format_why(find_why(view, "Node", 1));
  for (const char* const shown : {"?]0;Node??", "static data of ?[2J"})
    EXPECT_NE(text.find(shown), std::string::npos) << text;
  EXPECT_EQ(text.find_first_of("\x1b\x07\xff"), std::string::npos) << text;
  // JSON has escapes of its own.
  const auto json = nlohmann::json::parse(heap_to_json(report));
  EXPECT_EQ(json["types"][0]["name"], "\x1b]0;Node\x07\ufffd");
  EXPECT_EQ(json["root_groups"][0]["where"], "static data of \x1b[2J");
}

// Writes a file for a test and removes it.
class WrittenFile {
 public:
  WrittenFile(const std::string& name, const std::string& contents)
      : path_(testing::TempDir() + std::to_string(getpid()) + "_" + name) {
    std::ofstream(path_, std::ios::binary) << contents;
  }
  ~WrittenFile() { std::filesystem::remove(path_); }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A line of the text that ends with `end`, without the figures before it; empty if there is none.
std::string line_ending_with(const std::string& text, const std::string& end) {
  const std::size_t found = text.find(end + "\n");
  if (found == std::string::npos) return "";
  const std::size_t begin = text.rfind('%', found) + 2;
  return text.substr(begin, found + end.size() - begin);
}

TEST(HeapOfJava, NamesTheStaticMapThatGrows) {
  const auto bytes = leaking_dump(1000).bytes();
  const WrittenFile file("leak.hprof", std::string(bytes.begin(), bytes.end()));
  const HeapView view("hprof:" + file.path(), {.as_in_file = true, .heap_copies = 0});
  const HeapReport report = describe_heap(view, 20);
  const std::string text = format_heap(report);
  EXPECT_EQ(line_ending_with(text, "org.example.Leak)"),
            "  .classes: 0x100 (64 bytes, class org.example.Leak)");
  EXPECT_EQ(line_ending_with(text, "java.util.HashMap)"),
            "    static field org.example.Leak.cache: 0x201 (32 bytes, java.util.HashMap)");
  EXPECT_EQ(line_ending_with(text, "java.util.HashMap$Node[])"),
            "      .table: 0x202 (8024 bytes, java.util.HashMap$Node[])");
  EXPECT_EQ(report.types[0].name, "byte[]");

  const auto ways = find_why(view, "byte[]", 1);
  ASSERT_EQ(ways.size(), 1U);
  std::vector<std::string> steps;
  for (const Why::Step& step : ways[0].steps) steps.push_back(step.what.substr(0, step.what.find(" (")));
  EXPECT_EQ(steps, (std::vector<std::string>{"stack of thread main, in the frame of org.example.Leak.fill",
                                             "0x204", ".value: 0x205"}));
}

// Global leads by a property to a list whose nodes keep each other, and by another one to a buffer.
TEST(HeapOfV8, NamesThePropertyThatKeepsNearlyAll) {
  const WrittenFile file(
      "leak.heapsnapshot",
      R"({"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],)"
      R"("node_types":[["object","synthetic"]],"edge_fields":["type","name_or_index","to_node"],)"
      R"("edge_types":[["property"]]},"node_count":6,"edge_count":5},)"
      R"("nodes":[1,0,1,0,1, 0,1,3,100,2, 0,2,5,100,1, 0,2,7,100,1, 0,2,9,10000,0, 0,3,11,500,0],)"
      R"("edges":[0,4,5, 0,5,10, 0,6,25, 0,7,15, 0,7,20],)"
      R"("strings":["","Global","Node","Buffer","global","cache","buffer","next"]})");
  const HeapView view("v8:" + file.path(), {.as_in_file = true, .heap_copies = 0});
  std::vector<std::string> keepers;
  for (const Keeper& keeper : describe_heap(view, 20).keepers)
    keepers.push_back(std::string(2 * keeper.depth, ' ') + keeper.what);
  EXPECT_EQ(keepers, (std::vector<std::string>{
                         "object 1 (0 bytes, (synthetic))", "  .global: object 3 (100 bytes, Global)",
                         "    .cache: object 5 (100 bytes, Node)", "      .next: object 7 (100 bytes, Node)",
                         "        .next: object 9 (10000 bytes, Node)",
                         "    .buffer: object 11 (500 bytes, Buffer)"}));
  EXPECT_EQ(find_why(view, "9", 1)[0].steps.back().what, ".next: object 9 (10000 bytes, Node)");
}

TEST(HeapOfAGraph, MayBeLargerThanMemory) {
  const std::string path = testing::TempDir() + "large_" + std::to_string(getpid()) + ".heapsnapshot";
  std::ofstream(path)
      << R"({"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],)"
         R"("node_types":[["object","native"]],"edge_fields":["type","name_or_index",)"
         R"("to_node"],"edge_types":[["element"]]},"node_count":2,"edge_count":1},)"
         R"("nodes":[0,0,1,0,1,1,1,3,1152921504606846976,0],"edges":[0,0,5],)"
         R"("strings":["","buffer"]})";
  const HeapView view(
      "v8:" + path, {.headers = false, .memory_limit_bytes = 1 << 20, .as_in_file = true, .heap_copies = 0});
  const HeapReport report = describe_heap(view, 10);
  std::filesystem::remove(path);
  EXPECT_EQ(report.objects, 2U);
  EXPECT_EQ(report.bytes, std::uint64_t{1} << 60);
  ASSERT_EQ(report.types.size(), 2U);
  EXPECT_EQ(report.types[0].name, "buffer");
  EXPECT_EQ(report.types[0].bytes, std::uint64_t{1} << 60);
  ASSERT_EQ(report.groups.size(), 1U);
  EXPECT_EQ(report.groups[0].retained_bytes, std::uint64_t{1} << 60);
}

TEST(HeapOfAGraph, IsDescribed) {
  const HeapView view("tree:3", {.headers = false});
  const HeapReport report = describe_heap(view, 1);
  EXPECT_EQ(report.objects, 15U);
  EXPECT_EQ(report.references, 14U);
  ASSERT_EQ(report.keepers.size(), 1U);
  EXPECT_EQ(report.keepers[0].retained_bytes, report.bytes);
  EXPECT_EQ(find_why(view, "2", 1)[0].steps.size(), 4U);
  const auto json = nlohmann::json::parse(heap_to_json(report));
  EXPECT_EQ(json["objects"], 15);
  EXPECT_EQ(json["root_groups"][0]["where"], "roots");
  EXPECT_NE(format_heap(report).find("tree:3: 15 objects"), std::string::npos);
}

}  // namespace
}  // namespace jackdaw::tools
