// `jackdaw completion`: what bash makes of it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

/// The words that bash offers after those of the line, the last of which is being typed; separated by spaces.
std::string offered(const std::string& line) {
  const TemporaryFolder folder;
  const std::string script = folder.file("completion");
  std::ofstream(script) << run_jackdaw({"completion"}).out;
  const Outcome outcome =
      run_program({"/bin/bash", "-c",
                   ". " + script + "; COMP_WORDS=(" + line +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _jackdaw; echo \"${COMPREPLY[*]}\""});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(Completion, OffersCommandsAndTheirCommands) {
  EXPECT_EQ(offered("jackdaw he"), "heap\n");
  EXPECT_EQ(offered("jackdaw queue ''").substr(0, 18), "single thief pool ");
}

TEST(Completion, OffersOptionsOfTheCommand) {
  EXPECT_EQ(offered("jackdaw heap dump:x --w"), "--why\n");
  EXPECT_EQ(offered("jackdaw queue single --b"), "--blocks --block-size\n");
  EXPECT_EQ(offered("jackdaw topology --w"), "\n");
}

TEST(Completion, OffersWhatAnOptionCanBe) {
  EXPECT_EQ(offered("jackdaw mark tree:3 --queue bwos"), "bwos-lifo bwos-fifo\n");
  // Nothing: then bash completes names of files.
  EXPECT_EQ(offered("jackdaw mark tree:3 --json ''"), "\n");
}

}  // namespace
}  // namespace jackdaw::cli
