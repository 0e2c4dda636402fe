// `jackdaw heap`: what it prints of real heaps, what it writes for other tools, and what it finds to keep 100
// MiB.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/cli/process.h"
#include "tests/environment_variable.h"

namespace jackdaw::cli {
namespace {

using Json = nlohmann::json;

const std::string kGuile = "dump:" JACKDAW_TEST_DATA "/guile.dump";
constexpr std::uint64_t kHundredMebibytes = 104'857'600;

class HeapCommand : public testing::Test {
 protected:
  // Returns the file that `jackdaw heap HEAP --json FILE` writes.
  [[nodiscard]] Json report_of(const std::string& heap) const {
    const Outcome outcome = run_jackdaw({"heap", heap, "--json", folder_.file("report.json")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(read_file(folder_.file("report.json")));
  }

  [[nodiscard]] std::string converted(const std::string& heap, const std::string& format) const {
    const std::string file = folder_.file("heap." + format);
    const Outcome outcome = run_jackdaw({"heap", heap, "--to", format, file});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "");
    return file;
  }

  TemporaryFolder folder_;
};

std::uint64_t live_objects(const Json& report) {
  return report["objects"].get<std::uint64_t>() + report["unreachable_objects"].get<std::uint64_t>();
}

TEST_F(HeapCommand, PrintsTables) {
  const Outcome outcome = run_jackdaw({"heap", kGuile, "--most", "3"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with(kGuile + ": 79367 objects, 2.2 MiB, 83007 references, 11668 roots\n"))
      << outcome.out;
  for (const char* const title : {" type\n", " size\n", " blocks of\n", " kept by these roots alone\n",
                                  " kept by one root alone\n", " kept by one object alone\n"})
    EXPECT_NE(outcome.out.find(title), std::string::npos) << title;
}

TEST_F(HeapCommand, WritesTheSameAsJson) {
  const Json report = report_of(kGuile);
  EXPECT_EQ(report["objects"], 79367);
  EXPECT_EQ(report["roots"], 11668);
  std::uint64_t live = 0;
  for (const Json& blocks : report["blocks"]) {
    std::uint64_t by_share = 0;
    for (const Json& count : blocks["by_share"]) by_share += count.get<std::uint64_t>();
    EXPECT_EQ(blocks["blocks"], by_share);
    EXPECT_EQ(blocks["bytes"], by_share * 16384);
    EXPECT_LE(blocks["live_bytes"], blocks["bytes"]);
    live += blocks["live_bytes"].get<std::uint64_t>();
  }
  EXPECT_EQ(live, 2'267'760U);
  EXPECT_EQ(report["bytes"], live + 50 * 8)
      << "with the values of ephemerons, which lie in no word of theirs";
}

TEST_F(HeapCommand, WritesAllForChrome) {
  for (const std::string& heap : {kGuile, "hprof:" + java_heap_dump(), std::string("tree:5")}) {
    const Json report = report_of(heap);
    const Json v8 = Json::parse(read_file(converted(heap, "v8")));
    const std::uint64_t groups = report["root_groups"].size();
    EXPECT_EQ(v8["snapshot"]["node_count"], 2 + groups + live_objects(report)) << heap;
    EXPECT_EQ(v8["nodes"].size(), 7 * v8["snapshot"]["node_count"].get<std::uint64_t>()) << heap;
    EXPECT_EQ(v8["edges"].size(), 3 * v8["snapshot"]["edge_count"].get<std::uint64_t>()) << heap;
    const std::uint64_t references = report["references"];
    const std::uint64_t roots = report["roots"];
    const std::uint64_t least = 1 + groups + roots + references;
    EXPECT_GE(v8["snapshot"]["edge_count"], least) << heap;
    if (report["unreachable_objects"] == 0) {
      EXPECT_EQ(v8["snapshot"]["edge_count"], least) << heap;
    }
  }
}

TEST_F(HeapCommand, WritesAllForJavaToolsAndReadsItBack) {
  const Json report = report_of(kGuile);
  const Json back = report_of("hprof:" + converted(kGuile, "hprof"));
  for (const char* const count : {"objects", "references", "roots"})
    EXPECT_EQ(back[count], report[count]) << count;
  const auto named = [](const Json& list, const char* name, const char* figure) {
    std::map<std::string, std::uint64_t> figures;
    for (const Json& row : list) figures[row[name]] = row[figure];
    return figures;
  };
  EXPECT_EQ(named(back["types"], "name", "objects"), named(report["types"], "name", "objects"));
  EXPECT_EQ(named(back["root_groups"], "where", "roots"), named(report["root_groups"], "where", "roots"));
}

TEST_F(HeapCommand, NamesAllOfAJavaHeap) {
  const Outcome outcome = run_jackdaw({"heap", "hprof:" + java_heap_dump(), "--most", "5"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* const name :
       {" byte[]\n", " java.util.HashMap$Node[]\n", " java.lang.Class\n", " stack of thread main (",
        " system classes, java.security.Security (", "com.sun.tools.javac.code.Symtab)\n",
        "   .classes: 0x687761ce0 (64 bytes, java.util.HashMap)\n"})
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name << " is missing in\n" << outcome.out;
  const Outcome why =
      run_jackdaw({"heap", "hprof:" + java_heap_dump(), "--why", "JavacFileManager", "--most", "1"});
  EXPECT_TRUE(why.out.starts_with("root  stack of thread main, in the frame of Work.main (Work.java:8)\n"))
      << why.out;
}

#ifdef JACKDAW_FORGETFUL_PROGRAM

TEST_F(HeapCommand, NamesTheStaleWordThatKeepsAHundredMebibytes) {
  const Outcome program = run_program({JACKDAW_FORGETFUL_PROGRAM, folder_.file("heap.dump")});
  ASSERT_EQ(program.status, 0) << program.err;
  std::string thread;
  std::string leaf;
  std::istringstream(program.out) >> thread >> leaf;
  const std::string heap = "dump:" + folder_.file("heap.dump");

  const Json report = report_of(heap);
  ASSERT_GE(report["root_words"].size(), 1U);
  const std::string root = report["root_words"][0]["root"];
  EXPECT_TRUE(root.starts_with("stack of thread " + thread + ", ")) << root;
  EXPECT_NE(root.find("in the frame of forgetful + "), std::string::npos) << root;
  EXPECT_EQ(report["root_words"][0]["retained_bytes"], kHundredMebibytes);
  EXPECT_EQ(report["root_words"][0]["certain"], false);

  const Outcome why = run_jackdaw({"heap", heap, "--why", leaf});
  EXPECT_EQ(why.status, 0) << why.err;
  EXPECT_TRUE(why.out.starts_with("root  " + root + "   [any word]\n")) << why.out;
  EXPECT_EQ(std::count(why.out.begin(), why.out.end(), '\n'), 4) << why.out;
  EXPECT_NE(why.out.find("   3  " + leaf + " (4096 bytes, words)\n"), std::string::npos) << why.out;
}

TEST_F(HeapCommand, TellsWhichCallsAllocatedAnObjectOfAProfile) {
  const Variable profile("JACKDAW_PROFILE", folder_.file("profile") + ",every=64");
  const Outcome program = run_program({JACKDAW_FORGETFUL_PROGRAM, folder_.file("heap.dump")});
  ASSERT_EQ(program.status, 0) << program.err;
  std::string thread;
  std::string leaf;
  std::istringstream(program.out) >> thread >> leaf;
  const Outcome why = run_jackdaw({"heap", "dump:" + folder_.file("heap.dump"), "--why", leaf});
  EXPECT_EQ(why.status, 0) << why.err;
  const std::size_t allocated = why.out.find("      allocated in make_objects");
  ASSERT_NE(allocated, std::string::npos) << why.out;
  EXPECT_GT(allocated, why.out.find("   3  " + leaf + " (4096 bytes, words)\n")) << why.out;
  EXPECT_NE(why.out.find("      called from make", allocated), std::string::npos) << why.out;
  EXPECT_EQ(why.out.find("GC_"), std::string::npos) << why.out;
}

TEST_F(HeapCommand, NamesTheCodeThatMadeAPersistent) {
  const Outcome program = run_program({JACKDAW_REMEMBERING_PROGRAM, folder_.file("heap.dump")});
  ASSERT_EQ(program.status, 0) << program.err;
  const std::string heap = "dump:" + folder_.file("heap.dump");

  const Json report = report_of(heap);
  ASSERT_GE(report["root_words"].size(), 1U);
  const std::string root = report["root_words"][0]["root"];
  EXPECT_TRUE(root.starts_with("persistent handles, made in remember() + ")) << root;
  EXPECT_EQ(report["root_words"][0]["retained_bytes"], kHundredMebibytes);
  EXPECT_EQ(report["root_words"][0]["certain"], true);

  const Outcome why = run_jackdaw({"heap", heap, "--why", "Record", "--most", "1"});
  EXPECT_EQ(why.status, 0) << why.err;
  EXPECT_TRUE(why.out.starts_with("root  " + root + "\n")) << why.out;
  EXPECT_NE(why.out.find("Record)\n"), std::string::npos) << why.out;
}

#endif

}  // namespace
}  // namespace jackdaw::cli
