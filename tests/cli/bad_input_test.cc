// Bad input: exit status 2, one line on standard error that says what is wrong, and no result file.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

using Arguments = std::vector<std::string>;

class BadInput : public testing::Test {
 protected:
  // Runs the command with --json added. `named`: what the complaint must mention.
  void expect_refused(Arguments arguments, const std::string& named = "") {
    const std::string words = testing::PrintToString(arguments);
    const std::vector<std::string> before = folder_.contents();
    if (!arguments.empty() && arguments.front() == "mark") {
      arguments.insert(arguments.begin() + 1, {"--json", folder_.file("result.json")});
    }
    const Outcome outcome = run_jackdaw(arguments);
    EXPECT_EQ(outcome.status, 2) << words << outcome.err;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << words << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("jackdaw: ")) << words << outcome.err;
    EXPECT_EQ(outcome.err.back(), '\n') << words;
    EXPECT_NE(outcome.err.find(named), std::string::npos) << words << outcome.err;
    EXPECT_EQ(folder_.contents(), before) << words << ": neither a result nor a part of one is left";
  }
  void expect_graph_refused(const std::string& graph, const std::string& named = "") {
    expect_refused({"mark", graph}, named);
  }

  TemporaryFolder folder_;
};

TEST_F(BadInput, NoCommand) {
  expect_refused({});
  expect_refused({"--no-such-option"}, "--no-such-option");
}

TEST_F(BadInput, UnknownCommand) {
  expect_refused({"sweep"}, "sweep");
  expect_refused({"sweep", "tree:3"}, "sweep");
}

TEST_F(BadInput, NoGraph) {
  expect_refused({"mark"}, "GRAPH");
  expect_refused({"mark", "--threads", "2"}, "GRAPH");
}

TEST_F(BadInput, MoreThanOneGraph) { expect_refused({"mark", "tree:3", "tree:4"}, "tree:4"); }

TEST_F(BadInput, UnknownOption) {
  expect_refused({"mark", "tree:3", "--no-such-option"}, "--no-such-option");
}

TEST_F(BadInput, SuggestsWhatMayBeMeant) {
  expect_refused({"mark", "tree:3", "--thread", "2"},
                 "unknown option '--thread'; did you mean --threads? (see jackdaw mark --help)");
  expect_refused({"heep", "x"}, "unknown command 'heep'; did you mean heap? (see jackdaw --help)");
  expect_refused({"queue", "singel"},
                 "unknown command 'singel'; did you mean single? (see jackdaw queue --help)");
  expect_refused({"heap"}, "(see jackdaw heap --help)");
  expect_refused({"queue", "single", "--repeat", "x"}, "(see jackdaw queue single --help)");
  expect_refused({"help", "heep"}, "unknown command 'heep'; did you mean heap?");
}

TEST_F(BadInput, AFileWithoutItsKind) {
  const std::string data = JACKDAW_TEST_DATA;
  expect_refused({"heap", data + "/guile.dump"}, "lacks its kind; must be dump:" + data + "/guile.dump");
  expect_refused({"heap", java_heap_dump()}, "lacks its kind; must be hprof:" + java_heap_dump());
}

TEST_F(BadInput, Seeds) {
  for (const std::string seed : {"-1", "x", "1.5", "", "18446744073709551616"}) {
    expect_refused({"mark", "tree:3", "--seed", seed}, "--seed");
    expect_refused({"queue", "pool", "--seed", seed}, "--seed");
    expect_refused({"limit", "--seed", seed}, "--seed");
    expect_refused({"simulate", "tree:3", "--seed", seed}, "--seed");
  }
}

TEST_F(BadInput, UnknownGraphKind) {
  for (const std::string graph : {"bush:3", "tree", "", ":", "TREE:3", "javac.hprof.gz"}) {
    expect_graph_refused(graph, "'" + graph + "'");
  }
}

TEST_F(BadInput, LibgcOfAFolder) {
  for (const std::string interface : {"typed", "c"}) {
    const auto refused = [&](const std::string& folder, const std::string& why) {
      expect_refused({"mark", "tree:3", "--interface", interface, "--baseline", "boehm", "--libgc", folder},
                     why);
    };
    refused(folder_.path(), "--libgc " + folder_.path() + ": there is no libgc.so.1");
    refused(folder_.file("missing"), "missing: there is no libgc.so.1");
    write_file(folder_.file("libgc.so.1"), "no library");
    refused(folder_.path(), "libgc.so.1: ");
    std::filesystem::remove(folder_.file("libgc.so.1"));
    expect_refused({"mark", "tree:3", "--interface", interface, "--libgc", JACKDAW_OTHER_LIBGC},
                   "--baseline boehm");
  }
}

TEST_F(BadInput, GraphParameters) {
  for (const std::string graph : {"tree:x",          "tree:",       "tree:60",
                                  "tree:-1",         "tree:3x",     "tree:3,4",
                                  "tree:3.5",        "tree: 3",     "list:0",
                                  "list:-5",         "array:0",     "shuffled:10",
                                  "strings:0",       "numbers:0",   "numbers:1,2",
                                  "shuffled:10,",    "shuffled:,4", "shuffled:10,0",
                                  "shuffled:10,4,4", "ordered:0,4", "random:10",
                                  "random:0,3",      "rmat:40,16",  "rmat:10",
                                  "comb:3",          "comb:0,1",    "list:99999999999999999999999999"}) {
    expect_graph_refused(graph, "'" + graph + "'");
  }
}

TEST_F(BadInput, GraphsThatDoNotFitInMemory) {
  for (const std::string graph :
       {"list:4000000000", "tree:31", "array:4000000000", "strings:2000000000", "numbers:4000000000",
        "random:4000000000,1000000", "shuffled:4000000000,4", "rmat:31,4000000000", "comb:60000,60000"}) {
    expect_graph_refused(graph, "'" + graph + "'");
  }
  expect_refused({"mark", "list:1000000", "--object-bytes", "1000000000"}, "list:1000000");
}

TEST_F(BadInput, Threads) {
  for (const std::string threads : {"0", "-1", "abc", "99999", "", "1.5", "2x", "99999999999999999999"}) {
    expect_refused({"mark", "tree:3", "--threads", threads}, "--threads");
  }
  expect_refused({"mark", "tree:3", "--threads"}, "--threads");
}

TEST_F(BadInput, NamesOfQueuesVictimsAndBaselines) {
  for (const std::string option : {"--queue", "--victim", "--baseline"}) {
    expect_refused({"mark", "tree:3", option, "nope"}, option);
    expect_refused({"mark", "tree:3", option, ""}, option);
    expect_refused({"mark", "tree:3", option}, option);
  }
}

TEST_F(BadInput, ListsOfBaselines) {
  for (const std::string list :
       {"nope", "boehm,nope", "boehm,", ",boehm", ",", "boehm,,boehm", "boehm boehm", "Boehm", "boehm,boehm",
        "tbb,tbb", "tbb-tasks,tbb", "tbb,boehm,tbb-feeder"}) {
    expect_refused({"mark", "tree:3", "--baseline", list}, "--baseline '" + list + "'");
    expect_refused({"mark", "tree:3", "--baseline", list}, "any of boehm, tbb-feeder, ");
  }
}

TEST_F(BadInput, BoundsWithWhatTheyDoNotGoWith) {
  expect_refused({"mark", "tree:3", "--bounds=many"}, "--bounds");
  expect_refused({"mark", "tree:3", "--bounds", "--queue", "sequential-lifo", "--threads", "2"}, "--queue");
  expect_refused({"mark", "--bounds"}, "GRAPH");
  expect_refused({"queue", "--bounds"}, "--bounds");
}

TEST_F(BadInput, InterfacesWithWhatTheyDoNotGoWith) {
  expect_refused({"mark", "tree:3", "--interface", "d"}, "--interface");
  for (const std::string count : {"-1", "8", "x", ""})
    expect_refused({"mark", "tree:3", "--interface", "c", "--displacements", count}, "--displacements");
  expect_refused({"mark", "tree:3", "--displacements", "3"}, "--displacements: ");
  expect_refused({"mark", "tree:3", "--interface", "typed", "--displacements", "3"}, "add --interface c");
  for (const Arguments& option : {Arguments{"--queue", "bwos-lifo"}, Arguments{"--bounds"},
                                  Arguments{"--memory", "system"}, Arguments{"--serial", "0"}}) {
    Arguments arguments = {"mark", "tree:3", "--interface", "c"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    expect_refused(arguments, option.front() + ": ");
    expect_refused(arguments, "with --interface c leave it out");
  }
  expect_refused({"mark", "tree:3", "--interface", "c", "--baseline", "boehm,tbb"}, "--baseline tbb-feeder");
  expect_refused({"mark", "tree:3", "--interface", "c", "--threads", "0"}, "--threads");
  expect_refused({"mark", "list:4000000000", "--interface", "c"}, "list:4000000000");
}

TEST_F(BadInput, NumbersOutOfRange) {
  const std::vector<Arguments> wrong = {{"--block-size", "0"},    {"--block-size", "65535"},
                                        {"--block-size", "-1"},   {"--blocks", "0"},
                                        {"--blocks", "1"},        {"--blocks", "65537"},
                                        {"--repeat", "0"},        {"--repeat", "-3"},
                                        {"--repeat", "many"},     {"--warmup", "-1"},
                                        {"--object-bytes", "0"},  {"--object-bytes", "7"},
                                        {"--object-bytes", "-8"}, {"--object-bytes", "99999999999"},
                                        {"--seed", "x"}};
  for (const Arguments& option : wrong) {
    Arguments arguments = {"mark", "tree:3"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    expect_refused(arguments);
  }
}

TEST_F(BadInput, DumpThatCannotBeRead) {
  expect_graph_refused("hprof:");
  expect_graph_refused("hprof:" + folder_.file("missing.hprof"), "missing.hprof");
  std::filesystem::create_directory(folder_.file("directory"));
  expect_graph_refused("hprof:" + folder_.file("directory"), "directory");
}

TEST_F(BadInput, DumpThatIsNone) {
  write_file(folder_.file("empty.hprof"), "");
  expect_graph_refused("hprof:" + folder_.file("empty.hprof"), "empty.hprof");
  write_file(folder_.file("text.hprof"), "This is no heap dump.\nNot at all.\n");
  expect_graph_refused("hprof:" + folder_.file("text.hprof"), "text.hprof");
  write_file(folder_.file("gzip.hprof"), "\x1f\x8b garbage");
  expect_graph_refused("hprof:" + folder_.file("gzip.hprof"), "gzip.hprof");
  write_file(folder_.file("zeros.hprof"), std::string(100'000, '\0'));
  expect_graph_refused("hprof:" + folder_.file("zeros.hprof"), "zeros.hprof");
}

TEST_F(BadInput, FilesThatAreNoGraphs) {
  write_file(folder_.file("empty"), "");
  write_file(folder_.file("text"), "This is no graph.\nNot at all.\n");
  write_file(folder_.file("gzip"), "\x1f\x8b garbage");
  write_file(folder_.file("zeros"), std::string(100'000, '\0'));
  for (const std::string kind : {"dump:", "v8:", "edges:", "mtx:"}) {
    expect_graph_refused(kind, "must have the form " + kind + "FILE");
    for (const std::string file : {"empty", "text", "gzip", "zeros", "missing"}) {
      const std::string graph = kind + folder_.file(file);
      expect_graph_refused(graph, folder_.file(file) + ": ");
      expect_refused({"heap", graph}, folder_.file(file) + ": ");
      expect_refused({"simulate", graph}, folder_.file(file) + ": ");
    }
  }
}

TEST_F(BadInput, MatricesThatAreNoGraphs) {
  write_file(folder_.file("dense.mtx"), "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
  expect_graph_refused("mtx:" + folder_.file("dense.mtx"), "line 1: a dense matrix");
  write_file(folder_.file("wide.mtx"), "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n");
  expect_graph_refused("mtx:" + folder_.file("wide.mtx"),
                       "line 2: a matrix of 2 rows and 3 columns; must be square");
}

TEST_F(BadInput, GzippedDumpThatIsCutShort) {
  const std::string whole = read_file(java_heap_dump());
  for (const std::size_t length : {std::size_t{1}, std::size_t{5}, std::size_t{18}, std::size_t{1000},
                                   whole.size() / 2, whole.size() - 9, whole.size() - 1}) {
    write_file(folder_.file("cut.hprof.gz"), whole.substr(0, length));
    expect_graph_refused("hprof:" + folder_.file("cut.hprof.gz"), "cut.hprof.gz");
  }
}

std::string unzipped(const std::string& path, std::size_t bytes) {
  const gzFile file = gzopen(path.c_str(), "rb");
  std::string text(bytes, '\0');
  const int got = gzread(file, text.data(), static_cast<unsigned>(bytes));
  gzclose(file);
  if (got < 0 || static_cast<std::size_t>(got) != bytes) throw std::runtime_error("cannot unzip " + path);
  return text;
}

TEST_F(BadInput, PlainDumpThatIsCutShort) {
  const std::string start = unzipped(java_heap_dump(), 3'000'000);
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{18}, std::size_t{30}, std::size_t{1000}, start.size()}) {
    write_file(folder_.file("cut.hprof"), start.substr(0, length));
    expect_graph_refused("hprof:" + folder_.file("cut.hprof"), "cut.hprof");
  }
}

TEST_F(BadInput, ResultFileThatCannotBeWritten) {
  std::filesystem::create_directory(folder_.file("directory"));
  const std::vector<std::string> paths = {folder_.file("missing/result.json"), folder_.file("directory"),
                                          "/dev/null/x"};
  for (const std::string& path : paths) {
    const Outcome outcome = run_jackdaw({"mark", "tree:3", "--json", path});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("--json"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(path), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(folder_.contents(), std::vector<std::string>{"directory"});
}

TEST_F(BadInput, OfTheHeapCommand) {
  expect_refused({"heap"}, "HEAP");
  expect_refused({"heap", "bush:3"}, "'bush:3'");
  expect_refused({"heap", "dump:" + folder_.file("missing.dump")}, "missing.dump");
  expect_refused({"heap", "tree:3", "--most", "0"}, "--most");
  for (const std::string wanted : {"15", "0x10", "Tree"})
    expect_refused({"heap", "tree:3", "--why", wanted}, "--why " + wanted);
  expect_refused({"heap", "tree:3", "--why", "1", "--json", folder_.file("r.json")}, "--json: ");
  expect_refused({"heap", "tree:3", "--json", folder_.file("missing/r.json")}, "--json ");
}

TEST_F(BadInput, OfHeapsForOtherTools) {
  const std::string file = folder_.file("heap");
  expect_refused({"heap", "tree:3", "--to"}, "--to");
  expect_refused({"heap", "tree:3", "--to", "v8"}, "--to");
  expect_refused({"heap", "tree:3", "--to", "jpeg", file}, "--to jpeg: must be v8 or hprof");
  expect_refused({"heap", "tree:3", "--to", "v8", file, "--why", "1"}, "--why: ");
  expect_refused({"heap", "tree:3", "--to", "v8", file, "--json", file}, "--json: ");
  for (const std::string format : {"v8", "hprof"}) {
    expect_refused({"heap", "bush:3", "--to", format, file}, "'bush:3'");
    expect_refused({"heap", "tree:3", "--to", format, folder_.file("missing/heap")}, "--to " + format);
    expect_refused({"heap", "tree:3", "--to", format, "/dev/null/x"}, "/dev/null/x");
  }
}

TEST_F(BadInput, FilesWhoseNamesATerminalWouldObey) {
  const Outcome outcome = run_jackdaw({"heap", "edges:" + folder_.file("\x1b[2J\xff")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("?[2J?: cannot be opened"), std::string::npos) << outcome.err;
}

TEST_F(BadInput, ScriptsThatATerminalWouldObey) {
  const std::string script = folder_.file("script");
  write_file(script, "#!/\x1b[2J\n");
  ASSERT_EQ(chmod(script.c_str(), 0755), 0);
  const Outcome outcome = run_jackdaw({"run", script});
  EXPECT_NE(outcome.err.find("?[2J"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
}

TEST_F(BadInput, LeavesAnEarlierResultAlone) {
  const std::string path = folder_.file("result.json");
  write_file(path, "earlier");
  EXPECT_EQ(run_jackdaw({"mark", "bush:3", "--json", path}).status, 2);
  EXPECT_EQ(read_file(path), "earlier");
  EXPECT_EQ(folder_.contents(), std::vector<std::string>{"result.json"});
}

// Tables that could not be written are no success.
TEST_F(BadInput, StandardOutputThatIsFull) {
  const Outcome outcome = run_jackdaw({"mark", "tree:3"}, "/dev/full");
  EXPECT_NE(outcome.status, 0);
  EXPECT_LT(outcome.status, 128) << "an exit status, not a signal";
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

}  // namespace
}  // namespace jackdaw::cli
