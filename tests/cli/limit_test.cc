// `jackdaw limit`: what it prints, the file that it writes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

using nlohmann::json;

TEST(Limit, MeasuresEverySetting) {
  const TemporaryFolder folder;
  const std::string file = folder.file("limit.json");
  const Outcome outcome =
      run_jackdaw({"limit", "--megabytes", "1,3", "--threads", "3", "--repeat", "2", "--json", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json result = json::parse(read_file(file));
  EXPECT_EQ(result["line_bytes"], 64);
  std::set<std::tuple<std::uint64_t, std::string, std::string, unsigned>> settings;
  for (const json& row : result["results"]) {
    settings.emplace(row["bytes"], row["pages"], row["order"], row["threads"]);
    EXPECT_EQ(row["runs"].size(), 2U);
    EXPECT_GT(row["ns_per_line"].get<double>(), 0);
    EXPECT_DOUBLE_EQ(row["gigabytes_per_second"].get<double>(), 64 / row["ns_per_line"].get<double>());
    EXPECT_LE(row["bytes_on_huge_pages"], row["bytes"]);
  }
  EXPECT_EQ(settings.size(), 2U * 2 * 2 * 3) << "sizes, pages, orders; 1, 2 and 3 threads";
  EXPECT_EQ(settings.size(), result["results"].size());
  const auto lines = std::count(outcome.out.begin(), outcome.out.end(), '\n');
  EXPECT_EQ(lines, 3 + static_cast<int>(result["results"].size())) << outcome.out;
}

TEST(Limit, RefusesWhatItCannotDo) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--megabytes", "0"},     {"--megabytes", "x"},  {"--megabytes", ""},   {"--megabytes", "99999999"},
      {"--threads", "0"},       {"--threads", "many"}, {"--repeat", "0"},     {"--repeat", "1001"},
      {"--no-such-option", ""}, {"--seed", "-"},       {"--json", "/no/such"}};
  for (const std::vector<std::string>& arguments : wrong) {
    const Outcome outcome = run_jackdaw({"limit", arguments[0], arguments[1]});
    EXPECT_EQ(outcome.status, 2) << arguments[0] << ' ' << arguments[1];
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace jackdaw::cli
