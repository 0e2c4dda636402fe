// What the command says of itself.
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

TEST(Help, OfMarkNamesEveryOptionGraphKindAndAnExample) {
  const Outcome outcome = run_jackdaw({"mark", "--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  for (const std::string word :
       {"--threads",    "--queue",        "--victim",    "--blocks",
        "--block-size", "--repeat",       "--warmup",    "--verify",
        "--baseline",   "--json",         "--bounds",    "--limit",
        "--seed",       "--object-bytes", "bwos-lifo",   "random-prob",
        "random",       "boehm",          "tree:",       "list:",
        "array:",       "ordered:",       "shuffled:",   "random:",
        "rmat:",        "comb:",          "hprof:FILE",  "jackdaw mark tree:21 --threads 2",
        "tbb-feeder",   "tbb-tasks",      "tbb-packets", "tbb (tbb-feeder,tbb-tasks)",
        "openmp",       "openmp-packets"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is missing in\n" << outcome.out;
  }
}

TEST(Help, OfLimitNamesEveryOptionAndAnExample) {
  const Outcome outcome = run_jackdaw({"limit", "--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  for (const std::string word :
       {"--megabytes", "--threads", "--repeat", "--seed", "--json", "jackdaw limit --megabytes"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is missing in\n" << outcome.out;
  }
}

TEST(Help, OfSimulateNamesEveryOptionAndAnExample) {
  const Outcome outcome = run_jackdaw({"simulate", "--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  for (const std::string word : {"--workers", "--nodes", "--queue", "--victim", "--steal-batch", "--validate",
                                 "--repeat", "--seed", "--json", "--object-bytes", "--remote-line", "--wake",
                                 "chase-lev", "numa-prob", "jackdaw simulate tree:"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is missing in\n" << outcome.out;
  }
}

TEST(Help, VersionIsTheProjects) {
  const Outcome outcome = run_jackdaw({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find(JACKDAW_VERSION), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace jackdaw::cli
