// `jackdaw topology`: what it prints, the file that it writes, and what it refuses; and where the marking's
// threads and memory are asked to be.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/process.h"
#include "tests/confine_thread.h"
#include "tests/deny_system_call.h"

namespace jackdaw::cli {
namespace {

using nlohmann::json;

// Runs with a machine that hwloc is told of; none: with the real one.
json topology_of(const char* description, std::vector<std::string> arguments = {}) {
  const TemporaryFolder folder;
  const std::string file = folder.file("topology.json");
  arguments.insert(arguments.begin(), {"topology", "--json", file});
  if (description != nullptr) setenv("HWLOC_SYNTHETIC", description, 1);
  const Outcome outcome = run_jackdaw(arguments);
  unsetenv("HWLOC_SYNTHETIC");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("mark threads"), std::string::npos);
  return json::parse(read_file(file));
}

TEST(TopologyCommand, ShowsThisMachine) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof(usable), &usable), 0);
  const json machine = topology_of(nullptr);
  EXPECT_EQ(machine["is_there"], true);
  EXPECT_EQ(machine["processors"], CPU_COUNT(&usable));
  EXPECT_LE(machine["usable_processors"], machine["processors"]);
  EXPECT_EQ(machine["threads"].size(), machine["usable_processors"]);
  EXPECT_GT(machine["available_bytes"], 0);
  EXPECT_GE(machine["nodes"].size(), 1U);
}

TEST(TopologyCommand, TellsHowWritesAreTracked) {
  std::thread([] {
    const json tracking = topology_of(nullptr)["write_tracking"];
    EXPECT_TRUE(tracking == "PAGEMAP_SCAN" || tracking == "soft-dirty bits" || tracking == "none")
        << tracking;
    if (!deny(SYS_userfaultfd, EPERM)) GTEST_SKIP() << "system calls cannot be denied";
    const json without = topology_of(nullptr)["write_tracking"];
    EXPECT_TRUE(without == "soft-dirty bits" || without == "none") << without;
    EXPECT_NE(run_jackdaw({"topology"}).out.find("\nwrites      " + without.get<std::string>() + "\n"),
              std::string::npos);
  }).join();
}

TEST(TopologyCommand, ShowsADescribedMachine) {
  const json machine = topology_of("numa:4 core:4 pu:2", {"--threads", "8", "--bind", "core"});
  EXPECT_EQ(machine["is_there"], false);
  EXPECT_EQ(machine["processors"], 32);
  EXPECT_EQ(machine["cores"], 16);
  EXPECT_EQ(machine["binding"], "core");
  ASSERT_EQ(machine["nodes"].size(), 4U);
  EXPECT_EQ(machine["nodes"][1]["processors"], json({8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(machine["nodes"][1]["cores"], 4);
  EXPECT_EQ(machine["nodes"][2]["distances"], json({20, 20, 10, 20}));
  ASSERT_EQ(machine["threads"].size(), 8U);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(machine["threads"][i]["node"], i / 2);
}

TEST(TopologyCommand, OneUsableProcessorMeansOneMarkThread) {
  std::thread([] {
    confine_this_thread(sched_getcpu());
    const json machine = topology_of(nullptr);
    EXPECT_EQ(machine["processors"], 1);
    EXPECT_EQ(machine["threads"].size(), 1U);
    const TemporaryFolder folder;
    const std::string file = folder.file("mark.json");
    const Outcome outcome = run_jackdaw({"mark", "tree:10", "--threads", "auto", "--json", file});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(json::parse(read_file(file))["threads"], 1);
  }).join();
}

TEST(TopologyCommand, RefusesWhatItCannotDo) {
  const std::vector<std::vector<std::string>> wrong = {{"topology", "--threads", "0"},
                                                       {"topology", "--threads", "many"},
                                                       {"topology", "--bind", "cores"},
                                                       {"topology", "--json", "/no/such"},
                                                       {"topology", "x"},
                                                       {"mark", "tree:5", "--bind", "x"},
                                                       {"mark", "tree:5", "--memory", "x"},
                                                       {"mark", "tree:5", "--memory", "node:"},
                                                       {"mark", "tree:5", "--memory", "node:9999"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Outcome outcome = run_jackdaw(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments.back();
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(TopologyCommand, MarkingIsTheSameWhereverThreadsAndMemoryAre) {
  for (const char* const binding : {"auto", "none", "node", "core"}) {
    for (const char* const memory : {"auto", "system", "local", "interleave", "node:0"}) {
      const Outcome outcome = run_jackdaw(
          {"mark", "tree:12", "--threads", "2", "--bind", binding, "--memory", memory, "--verify"});
      EXPECT_EQ(outcome.status, 0) << binding << ' ' << memory << ": " << outcome.err;
    }
  }
}

}  // namespace
}  // namespace jackdaw::cli
