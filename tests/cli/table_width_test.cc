// Tables fit into a terminal of 80 columns, whatever the command.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

using Arguments = std::vector<std::string>;

class TableWidth : public testing::TestWithParam<Arguments> {};

// Lines with one of these signs are sentences, which a terminal may wrap.
TEST_P(TableWidth, IsThatOfATerminal) {
  const Outcome outcome = run_jackdaw(GetParam());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.find_first_of(":;,") != std::string::npos) continue;
    EXPECT_LE(line.size(), 80U) << line;
    ++rows;
  }
  EXPECT_GT(rows, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, TableWidth,
    testing::Values(Arguments{"mark", "tree:10", "--repeat", "2", "--threads", "2", "--bounds", "--baseline",
                              "boehm,tbb,tbb-packets,serial"},
                    Arguments{"mark", "tree:10", "--interface", "c", "--repeat", "2", "--baseline", "boehm"},
                    Arguments{"queue", "single", "--seconds", "0.001", "--repeat", "2"},
                    Arguments{"queue", "thief", "--seconds", "0.001", "--repeat", "2", "--percent", "10"},
                    Arguments{"queue", "pool", "--seconds", "0.001", "--repeat", "2", "--factor", "100",
                              "--threads", "2"},
                    Arguments{"limit", "--megabytes", "10", "--repeat", "1", "--threads", "2"},
                    Arguments{"simulate", "tree:12", "--workers", "1,1024", "--repeat", "2", "--validate"}));

}  // namespace
}  // namespace jackdaw::cli
