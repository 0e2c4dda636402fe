// `jackdaw report` and `jackdaw mark --report`: the file that they write, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/environment_variable.h"

namespace jackdaw::cli {
namespace {

class Report : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome outcome = run_jackdaw({"mark", "tree:8", "--json", result_, "--report", marked_});
    if (outcome.err.find("built without") != std::string::npos) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  // Expects one line, status 2 and no file; `named`: what the line must mention.
  void expect_refused(std::vector<std::string> arguments, const std::string& named) {
    const std::vector<std::string> before = folder_.contents();
    arguments.insert(arguments.begin(), "report");
    const Outcome outcome = run_jackdaw(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(named), std::string::npos) << outcome.err;
    EXPECT_EQ(folder_.contents(), before);
  }

  TemporaryFolder folder_;
  const std::string result_ = folder_.file("result.json");
  const std::string marked_ = folder_.file("marked.html");
  const std::string page_ = folder_.file("report.html");
};

TEST_F(Report, IsOneFileThatLoadsNothing) {
  const Outcome outcome = run_jackdaw({"report", result_, "-o", page_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  for (const std::string& path : {page_, marked_}) {
    const std::string page = read_file(path);
    EXPECT_NE(page.find("\"graph\":\"tree:8\""), std::string::npos) << path;
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos) << path;
    EXPECT_EQ(page.find(" src="), std::string::npos) << path;
  }
  EXPECT_NE(read_file(marked_).find("\"time_line\""), std::string::npos);
}

#ifdef JACKDAW_PROFILED_PROGRAM
TEST_F(Report, HasTheFunctionsOfAProfile) {
  const std::string profile = folder_.file("program.pb");
  {
    const Variable variable("JACKDAW_PROFILE", profile);
    ASSERT_EQ(run_program({JACKDAW_PROFILED_PROGRAM}).status, 0);
  }
  const Outcome outcome = run_jackdaw({"report", profile, result_, "-o", page_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(read_file(page_).find("\"hot_place\""), std::string::npos);
  write_file(folder_.file("bad.pb"), read_file(profile) + '\xff');
  expect_refused({folder_.file("bad.pb"), "-o", page_ + "2"}, "bad.pb: ");
}
#endif

TEST_F(Report, RefusesWhatIsNoResult) {
  expect_refused({"-o", page_}, "RESULT");
  expect_refused({result_}, "--output");
  expect_refused({folder_.file("missing.json"), "-o", page_}, "missing.json");
  expect_refused({result_, "-o", folder_.file("missing/report.html")}, "--output");
  expect_refused({result_, result_, "-o", page_}, "named twice");
  write_file(folder_.file("bad.json"), "{\"graph\": \"tree:8\"}");
  expect_refused({result_, folder_.file("bad.json"), "-o", page_}, "bad.json: interface is missing");
  write_file(folder_.file("bad.json"), read_file(result_).substr(0, 100));
  expect_refused({folder_.file("bad.json"), "-o", page_}, "bad.json: byte ");
}

}  // namespace
}  // namespace jackdaw::cli
