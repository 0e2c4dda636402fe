// The specifications that users may type for a graph, and the messages for those that they may not.
#include "tools/graph/graph_spec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/refusal.h"
#include "tests/tools/graph/graph_invariants.h"
#include "tools/command/input_error.h"

namespace jackdaw::tools {
namespace {

const std::string kRealDump = "hprof:" JACKDAW_TEST_DATA "/javac.hprof.gz";

std::string refusal(const std::string& spec, const GraphOptions& options = {}) {
  return message_of<InputError>([&] { return make_graph(spec, options); });
}

TEST(GraphSpec, EveryKindCanBeMade) {
  for (const std::string& spec :
       std::vector<std::string>{"tree:3", "list:5", "array:5", "ordered:20,3", "shuffled:20,3", "random:20,2",
                                "rmat:4,3", "comb:4,3", "layers:4,3", "strings:5", "numbers:9", kRealDump}) {
    const Graph graph = make_graph(spec);
    EXPECT_EQ(graph.name, spec);
    EXPECT_EQ(broken_invariant(graph), "") << spec;
    EXPECT_GT(graph.node_count, 0U);
  }
}

TEST(GraphSpec, HelpListsEveryKind) {
  std::string forms;
  for (const GraphKind& kind : graph_kinds()) {
    forms += kind.form + " ";
    EXPECT_FALSE(kind.help.empty());
  }
  EXPECT_EQ(forms,
            "tree:DEPTH list:N array:N strings:N numbers:N ordered:N,ARITY shuffled:N,ARITY random:N,DEGREE "
            "rmat:SCALE,EDGEFACTOR "
            "comb:SPINE,TOOTH layers:DEPTH,WIDTH dump:FILE hprof:FILE v8:FILE edges:FILE mtx:FILE ");
}

TEST(GraphSpec, UnknownKindListsTheKnownOnes) {
  EXPECT_EQ(refusal("tee:5"),
            "graph 'tee:5': unknown kind; must be one of tree:DEPTH list:N array:N strings:N numbers:N "
            "ordered:N,ARITY "
            "shuffled:N,ARITY "
            "random:N,DEGREE rmat:SCALE,EDGEFACTOR comb:SPINE,TOOTH layers:DEPTH,WIDTH dump:FILE hprof:FILE "
            "v8:FILE edges:FILE mtx:FILE");
  EXPECT_TRUE(refusal("").starts_with("graph '': unknown kind"));
  EXPECT_TRUE(refusal(":").starts_with("graph ':': unknown kind"));
}

TEST(GraphSpec, ParametersMustBeNumbersInRange) {
  for (const std::string text :
       {"x", "-1", "+1", "32", "1e1", "0x1", " 1", "1 ", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(refusal("tree:" + text),
              "graph 'tree:" + text + "': DEPTH must be a whole number from 0 to 31");
  }
  EXPECT_EQ(refusal("list:0"), "graph 'list:0': N must be a whole number from 1 to 4294967295");
  EXPECT_EQ(refusal("random:5,0"), "graph 'random:5,0': DEGREE must be a whole number from 1 to 4294967295");
  EXPECT_EQ(refusal("rmat:32,1"), "graph 'rmat:32,1': SCALE must be a whole number from 0 to 31");
  EXPECT_EQ(refusal("comb:5,"), "graph 'comb:5,': TOOTH must be a whole number from 1 to 4294967295");
}

TEST(GraphSpec, ParametersMustBeAsManyAsTheKindHas) {
  EXPECT_EQ(refusal("tree"), "graph 'tree': must have the form tree:DEPTH");
  EXPECT_EQ(refusal("tree:"), "graph 'tree:': must have the form tree:DEPTH");
  EXPECT_EQ(refusal("tree:1,2"), "graph 'tree:1,2': must have the form tree:DEPTH");
  EXPECT_EQ(refusal("comb:5"), "graph 'comb:5': must have the form comb:SPINE,TOOTH");
  EXPECT_EQ(refusal("comb:5,6,7"), "graph 'comb:5,6,7': must have the form comb:SPINE,TOOTH");
  EXPECT_EQ(refusal("hprof:"), "graph 'hprof:': must have the form hprof:FILE");
}

TEST(GraphSpec, TooManyNodes) {
  const std::string tail = "has more than 4294967295 nodes, the most that a graph can have";
  EXPECT_EQ(refusal("comb:100000,100000"), "graph 'comb:100000,100000': " + tail);
  EXPECT_EQ(refusal("comb:4294967295,4294967295"), "graph 'comb:4294967295,4294967295': " + tail);
  EXPECT_EQ(refusal("array:4294967295"), "graph 'array:4294967295': " + tail);
}

TEST(GraphSpec, GraphsThatDoNotFitAreRefusedBeforeTheyAreMade) {
  const GraphOptions gibibyte{.memory_limit_bytes = std::uint64_t{1} << 30};
  EXPECT_EQ(refusal("tree:31", gibibyte),
            "graph 'tree:31': needs 224.0 GiB of memory (32.0 GiB to describe it and 1 x 192.0 GiB of heap), "
            "but only "
            "1.0 GiB is available");
  for (const std::string& spec : std::vector<std::string>{
           "list:4294967295", "array:4294967294", "ordered:4294967295,4294967295", "shuffled:100000000,4",
           "random:4294967295,4294967295", "rmat:31,4294967295", "rmat:0,4294967295", "comb:65535,65535"}) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "but only 1.0 GiB is available", refusal(spec, gibibyte));
  }
}

TEST(GraphSpec, HeapCopiesCount) {
  // A heap of 48,000 bytes and a description of 4,000.
  EXPECT_EQ(refusal("list:1000", {.memory_limit_bytes = 100'000, .heap_copies = 2}), "accepted");
  EXPECT_NE(refusal("list:1000", {.memory_limit_bytes = 100'000, .heap_copies = 3}), "accepted");
}

TEST(GraphSpec, ObjectSizeMustBeSensible) {
  EXPECT_EQ(refusal("list:5", {.object_bytes = 7}),
            "object size 7: must be a whole number of bytes from 8 to 1073741824");
  EXPECT_NE(refusal("list:5", {.object_bytes = (1U << 30) + 1}), "accepted");
  EXPECT_EQ(refusal("list:5", {.object_bytes = 8}), "accepted");
}

TEST(GraphSpec, DumpErrorsNameTheFile) {
  EXPECT_EQ(refusal("hprof:/nowhere/x:y.hprof"),
            "/nowhere/x:y.hprof: cannot be opened: No such file or directory");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "javac.hprof.gz: byte ",
                      refusal(kRealDump, {.memory_limit_bytes = 1'000'000}));
}

}  // namespace
}  // namespace jackdaw::tools
