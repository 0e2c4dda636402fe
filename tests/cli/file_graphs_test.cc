// Graphs from files through the command: what independent readers count, and that the marks are right.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/environment_variable.h"

namespace jackdaw::cli {
namespace {

using nlohmann::json;

class FileGraphs : public testing::Test {
 protected:
  // Returns the file that a subcommand writes with --json.
  json result_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--json", folder_.file("result.json")});
    const Outcome outcome = run_jackdaw(arguments);
    EXPECT_EQ(outcome.status, 0) << testing::PrintToString(arguments) << outcome.err;
    return outcome.status == 0 ? json::parse(read_file(folder_.file("result.json"))) : json();
  }

  // Marks `graph` with several numbers of threads, which is to find as many objects and references.
  void expect_marked(const std::string& graph, const json& objects, const json& references) {
    for (const std::string threads : {"1", "2", "8"}) {
      const json result = result_of({"mark", graph, "--verify", "--threads", threads, "--repeat", "2"});
      ASSERT_TRUE(result.is_object());
      EXPECT_EQ(result["verified"], true);
      for (const json& run : result["runs"]) {
        EXPECT_EQ(run["objects_marked"], objects);
        EXPECT_EQ(run["references"], references);
      }
    }
  }

  std::string why(const std::string& graph, const std::string& what) {
    const Outcome outcome = run_jackdaw({"heap", graph, "--why", what, "--most", "1"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }

  TemporaryFolder folder_;
};

// ---- Heap snapshots that Node writes ----

Outcome run_node(const std::string& script, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"/usr/bin/env", "node", JACKDAW_TEST_SCRIPTS "/" + script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words);
}

class NodeSnapshots : public FileGraphs {
 protected:
  void SetUp() override {
    if (run_program({"/usr/bin/env", "node", "--version"}).status != 0)
      GTEST_SKIP() << "node is not installed";
  }

  void expect_counts_of_another_reader(const std::string& program) {
    const std::string file = folder_.file(program + ".heapsnapshot");
    const Outcome written = run_node("write_snapshot.js", {program, file});
    ASSERT_EQ(written.status, 0) << written.err;
    const Outcome counted = run_node("count_snapshot.js", {file});
    ASSERT_EQ(counted.status, 0) << counted.err;
    const json expected = json::parse(counted.out);
    const json heap = result_of({"heap", "v8:" + file});
    ASSERT_TRUE(heap.is_object());
    EXPECT_EQ(heap["objects"], expected["reachable"]);
    EXPECT_EQ(heap["unreachable_objects"], expected["nodes"].get<int>() - expected["reachable"].get<int>());
    EXPECT_EQ(heap["references"], expected["references"]);
    EXPECT_EQ(heap["bytes"], expected["bytes"]);
    expect_marked("v8:" + file, expected["reachable"], expected["references"]);
  }
};

TEST_F(NodeSnapshots, OfLists) { expect_counts_of_another_reader("lists"); }

TEST_F(NodeSnapshots, OfClosures) { expect_counts_of_another_reader("closures"); }

TEST_F(NodeSnapshots, OfTexts) {
  expect_counts_of_another_reader("texts");
  const std::string snapshot = "v8:" + folder_.file("texts.heapsnapshot");
  const Variable locale("LC_ALL", "C.UTF-8");
  const std::string way = why(snapshot, "\u00c9toile");
  EXPECT_TRUE(way.starts_with(
      "root  roots, object 1 (0 bytes, (synthetic))\n   1  object 1 (0 bytes, (synthetic))\n"))
      << way;
  EXPECT_NE(way.find(" bytes, \u00c9toile)\n"), std::string::npos) << way;
}

// ---- Edges ----

TEST_F(FileGraphs, OfEdgesAreMarkedAndLookedInto) {
  const std::string graph = "edges:" + folder_.file("edges.txt");
  write_file(folder_.file("edges.txt"), "# a comment\n10 20\n10 30\n30 40\n40 10\n50 10\n");
  expect_marked(graph, 4, 4);
  EXPECT_EQ(why(graph, "40"),
            "root  roots, number 0\n   1  object 10 (48 bytes, node)\n   2  object 30 (48 bytes, node)\n"
            "   3  object 40 (48 bytes, node)\n");
  const Outcome unreached = run_jackdaw({"heap", graph, "--why", "50"});
  EXPECT_EQ(unreached.err, "jackdaw: --why 50: nothing leads there from the roots\n");
  const Outcome absent = run_jackdaw({"heap", graph, "--why", "4"});
  EXPECT_EQ(absent.err, "jackdaw: --why 4: no object has this number\n");
  EXPECT_EQ(run_jackdaw({"simulate", graph, "--workers", "2", "--repeat", "1"}).status, 0);
}

TEST_F(FileGraphs, MayHaveNamesThatAreNoUtf8) {
  const std::string file = folder_.file("\x1b\xff.edges");
  write_file(file, "1 2\n");
  for (const char* const command : {"mark", "simulate", "heap"}) {
    const Outcome outcome = run_jackdaw({command, "edges:" + file, "--json", folder_.file("result.json")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("??.edges: "), std::string::npos) << outcome.out;
    EXPECT_NE(read_file(folder_.file("result.json")).find("\\u001b\ufffd.edges"), std::string::npos);
  }
}

TEST_F(FileGraphs, OfMatricesAreMarkedAndLookedInto) {
  const std::string graph = "mtx:" + folder_.file("matrix.mtx");
  write_file(folder_.file("matrix.mtx"),
             "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 1 1\n3 1 1\n4 4 0\n");
  expect_marked(graph, 3, 5);
  EXPECT_EQ(why(graph, "3"),
            "root  roots, number 0\n   1  object 1 (48 bytes, node)\n   2  object 3 (48 bytes, node)\n");
}

TEST_F(FileGraphs, OfJavaHeapsAreLookedIntoByIdentifiers) {
  const std::string graph = "hprof:" + java_heap_dump();
  const std::string way = why(graph, "java.util.HashMap$Node");
  const std::size_t last = way.rfind("0x");
  ASSERT_NE(last, std::string::npos) << way;
  const std::string identifier = way.substr(last, way.find(' ', last) - last);
  EXPECT_EQ(why(graph, identifier), way);
}

}  // namespace
}  // namespace jackdaw::cli
