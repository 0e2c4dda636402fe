// The command's help texts and its version.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

TEST(Help, NamesTheSubcommand) {
  const Outcome outcome = run_jackdaw({"--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("jackdaw"), std::string::npos);
  EXPECT_NE(outcome.out.find("mark"), std::string::npos);
  EXPECT_NE(outcome.out.find("jackdaw mark tree:"), std::string::npos) << "an example:\n" << outcome.out;
}

// A subcommand's help names the words: options, what can be chosen, and an example.
void expect_help_to_name(const std::string& command, const std::vector<std::string>& words) {
  const Outcome outcome = run_jackdaw({command, "--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  for (const std::string& word : words)
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is missing in\n" << outcome.out;
}

TEST(Help, OfMarkNamesEveryOptionGraphKindAndAnExample) {
  expect_help_to_name("mark", {"--bind",
                               "--memory",
                               "--threads",
                               "--queue",
                               "--victim",
                               "--blocks",
                               "--block-size",
                               "--repeat",
                               "--warmup",
                               "--verify",
                               "--baseline",
                               "--interface",
                               "--displacements",
                               "--json",
                               "--report",
                               "--time-line",
                               "--bounds",
                               "--limit",
                               "--seed",
                               "--object-bytes",
                               "bwos-lifo",
                               "random-prob",
                               "random",
                               "boehm",
                               "tree:",
                               "list:",
                               "array:",
                               "strings:",
                               "numbers:",
                               "ordered:",
                               "shuffled:",
                               "random:",
                               "rmat:",
                               "comb:",
                               "hprof:FILE",
                               "v8:FILE",
                               "edges:FILE",
                               "mtx:FILE",
                               "tbb-feeder",
                               "tbb-tasks",
                               "tbb-packets",
                               "openmp",
                               "openmp-packets",
                               "tbb (tbb-feeder,tbb-tasks)",
                               "jackdaw mark tree:21 --threads 2"});
}

TEST(Help, OfLimitNamesEveryOptionAndAnExample) {
  expect_help_to_name(
      "limit", {"--megabytes", "--threads", "--repeat", "--seed", "--json", "jackdaw limit --megabytes"});
}

TEST(Help, OfSimulateNamesEveryOptionAndAnExample) {
  expect_help_to_name(
      "simulate", {"--workers", "--nodes", "--queue", "--victim", "--steal-batch", "--validate", "--repeat",
                   "--seed", "--json", "--object-bytes", "--remote-line", "--wake", "chase-lev", "numa-prob",
                   "jackdaw simulate tree:"});
}

TEST(Help, OfLogNamesEveryOptionAndAnExample) {
  expect_help_to_name("log", {"FILE", "--json", "jackdaw log gc.log"});
}

TEST(Help, OfProfileNamesEveryOptionAndAnExample) {
  expect_help_to_name("profile",
                      {"FILE", "--live", "--most", "--named", "--json", "jackdaw profile program.pb"});
}

TEST(Help, OfTopologyNamesEveryOptionAndAnExample) {
  expect_help_to_name("topology", {"--threads", "--bind", "--json", "jackdaw topology --threads"});
}

TEST(Help, OfPsAndDumpNamesEveryOptionAndAnExample) {
  expect_help_to_name("ps", {"--figures", "--json", "jackdaw ps"});
  expect_help_to_name("dump", {"PID", "--output", "--timeout", "jackdaw dump 4321 -o heap.dump"});
}

TEST(Help, OfRunNamesEveryOptionAndAnExample) {
  expect_help_to_name("run", {"PROGRAM", "--markers", "--log", "--stats", "--force", "jackdaw run guile"});
}

TEST(Help, OfReportNamesEveryOptionAndAnExample) {
  expect_help_to_name("report", {"RESULT", "--output", "jackdaw report before.json after.json -o"});
}

TEST(Help, IsACommand) {
  EXPECT_EQ(run_jackdaw({"help"}).out, run_jackdaw({"--help"}).out);
  EXPECT_EQ(run_jackdaw({"help", "heap"}).out, run_jackdaw({"heap", "--help"}).out);
  EXPECT_EQ(run_jackdaw({"help", "queue", "single"}).out, run_jackdaw({"queue", "single", "--help"}).out);
  EXPECT_EQ(run_jackdaw({"help", "run"}).out, run_jackdaw({"run", "--help"}).out);
  EXPECT_NE(run_jackdaw({"help", "heap"}).out, run_jackdaw({"help"}).out);
}

TEST(Help, VersionIsTheProjects) {
  const Outcome outcome = run_jackdaw({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find(JACKDAW_VERSION), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace jackdaw::cli
