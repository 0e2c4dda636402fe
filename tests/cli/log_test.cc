// `jackdaw log`: what it prints of a log, the file that it writes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/environment_variable.h"

namespace jackdaw::cli {
namespace {

const std::string kWords =
    "jackdaw: collection=1 reason=allocation pause_ms=2.000 before_mib=64.000 live_mib=31.250 "
    "heap_mib=96.000 mark_threads=2 stolen_percent=1.042 stopped_threads=5 markers=2 at_ms=100.000 pid=7 "
    "free_mib=1.500 given_back_mib=0.000\n";
const std::string kJson =
    R"({"collection":2,"reason":"request","pause_ms":6.000,"before_mib":64.000,"live_mib":20.000,)"
    R"("heap_mib":96.000,"mark_threads":2,"stolen_percent":1.042,"stopped_threads":5,"markers":2,)"
    R"("at_ms":200.000,"pid":7,"free_mib":12.250,"given_back_mib":3.000,"processor_ms":7.250})"
    "\n";

TEST(LogCommand, SumsUpBothSpellings) {
  const TemporaryFolder folder;
  const Variable locale("LC_ALL", "C.UTF-8");
  write_file(folder.file("log"), kWords + kJson);
  const Outcome outcome = run_jackdaw({"log", folder.file("log"), "--json", folder.file("json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("process 7: 0.200 s, 4.0 % of it in pauses\n")) << outcome.out;
  EXPECT_NE(outcome.out.find("\nfree blocks at the last line: 12.2 MiB, and 3.0 MiB given back\n"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("\nmax       6.000   █"), std::string::npos) << outcome.out;
  const nlohmann::json json = nlohmann::json::parse(read_file(folder.file("json")));
  EXPECT_EQ(json["processes"][0]["pauses"]["max_ms"], 6.0);
  EXPECT_EQ(json["processes"][0]["processor_ms"], 7.25);
  EXPECT_EQ(json["processes"][0]["kinds"][1]["reason"], "request");
}

TEST(LogCommand, DrawsInAsciiWhereTheLocaleHasNoMore) {
  const TemporaryFolder folder;
  write_file(folder.file("log"), kWords + kJson);
  const Variable locale("LC_ALL", "C");
  const Variable columns("COLUMNS", "40");
  const Outcome outcome = run_jackdaw({"log", folder.file("log")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::ranges::all_of(outcome.out, [](char letter) { return letter > 0; })) << outcome.out;
  EXPECT_NE(outcome.out.find("\nmax       6.000   ######"), std::string::npos) << outcome.out;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 40U) << line;
}

// `complaint`: what its one line says.
void expect_log_refused(std::vector<std::string> arguments, const std::string& complaint) {
  const TemporaryFolder results;
  arguments.insert(arguments.begin(), {"log", "--json", results.file("json")});
  const Outcome outcome = run_jackdaw(arguments);
  EXPECT_EQ(outcome.status, 2) << complaint;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(complaint), std::string::npos) << outcome.err;
  EXPECT_EQ(results.contents(), std::vector<std::string>{});
}

TEST(LogCommand, RefusesBadInput) {
  const TemporaryFolder folder;
  const std::string log = folder.file("log");
  expect_log_refused({}, "FILE");
  expect_log_refused({log, log}, log);
  expect_log_refused({log}, log + ": cannot be read (No such file or directory)");
  expect_log_refused({folder.file("")}, ": cannot be read (Is a directory)");
  write_file(log, "");
  expect_log_refused({log}, log + ": has no line of a collection; name the log of a program that collected");
  write_file(log, kWords + kJson.substr(0, 50) + "\n");
  expect_log_refused({log}, log + ":2: ");
}

}  // namespace
}  // namespace jackdaw::cli
