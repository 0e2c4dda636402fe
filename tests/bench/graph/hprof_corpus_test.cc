// Runs the fuzzer's corpus through the reader as an ordinary test, so that what was found once stays fixed
// without a fuzzer. Files called valid_* must be accepted, files called hostile_* refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/bench/graph/hprof_builder.h"
#include "tests/bench/graph/hprof_check.h"

namespace jackdaw::bench {
namespace {

TEST(HprofCorpus, EveryFileIsReadOrRefused) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(JACKDAW_TEST_DATA "/hprof_corpus")) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const HprofOutcome outcome = check_hprof(bytes);
    EXPECT_EQ(outcome.defect, "");
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(outcome.accepted, name.starts_with("valid_")) << outcome.message;
    EXPECT_TRUE(outcome.accepted || name.starts_with("hostile_"));
    ++files;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace jackdaw::bench
