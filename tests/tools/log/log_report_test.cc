// The report on a log: its plots, its tables, and its JSON.
#include "tools/log/log_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/log/log_builder.h"
#include "tools/log/plot.h"

namespace jackdaw::tools {
namespace {

constexpr PlotLetters kUtf8 = PlotLetters::utf8;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Plot, DrawsEighths) {
  EXPECT_EQ(horizontal_bar(0, 4, kUtf8), "");
  EXPECT_EQ(horizontal_bar(1, 4, kUtf8), "████");
  EXPECT_EQ(horizontal_bar(0.5, 3, kUtf8), "█▌");
  EXPECT_EQ(horizontal_bar(1e-9, 4, kUtf8), "▏") << "what is not zero is seen";
  const std::array<double, 4> parts = {0, 0.25, 0.75, 1};
  EXPECT_EQ(vertical_bars(parts, 2, kUtf8), (std::vector<std::string>{"  ▄█", " ▄██"}));
}

TEST(Plot, DrawsInAscii) {
  EXPECT_EQ(horizontal_bar(0, 4, PlotLetters::ascii), "");
  EXPECT_EQ(horizontal_bar(0.5, 4, PlotLetters::ascii), "##");
  EXPECT_EQ(horizontal_bar(1e-9, 4, PlotLetters::ascii), "#");
  const std::array<double, 4> parts = {0, 0.25, 0.75, 1};
  EXPECT_EQ(vertical_bars(parts, 2, PlotLetters::ascii), (std::vector<std::string>{"  :#", " :##"}));
}

TEST(LogReport, IsAsciiIn80Columns) {
  auto log = log_with_pauses(std::vector<int>(12, 20));
  log.push_back(log_with_pauses({30})[0]);
  log.back().process = 4'194'304;
  const std::string text = format_log(summarise_processes(log), kMachine, PlotLetters::ascii);
  EXPECT_TRUE(std::ranges::all_of(text, [](char letter) { return letter > 0; })) << text;
  std::istringstream lines(text.substr(0, text.find("to be tried")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(LogReport, ShowsOneProcess) {
  auto log = log_with_pauses({2, 4, 6, 8});
  log[0].live_bytes = std::uint64_t{50} << 20;
  const std::string text = format_log(summarise_processes(log), kMachine, kUtf8);
  EXPECT_TRUE(has(text, "process 7: 0.400 s, 5.0 % of it in pauses\n")) << text;
  EXPECT_TRUE(has(text, "live: 100.0 MiB at the end, 100.0 MiB at most; heap: 160.0 MiB"));
  EXPECT_TRUE(has(text, "\nprocessor time of the collector: 40.000 ms\n")) << text;
  EXPECT_TRUE(has(text, "\nstopping   allocation              4        20.000      8.000\n")) << text;
  EXPECT_TRUE(has(text, "\np50       4.000   " + horizontal_bar(0.5, 60, kUtf8) + "\n")) << text;
  EXPECT_TRUE(has(text, "\nmax       8.000   " + horizontal_bar(1, 60, kUtf8) + "\n")) << text;
  EXPECT_TRUE(has(text, "\nno advice: it needs 10 collections, and there are 4\n")) << text;
  // Nothing is known of the first quarter, then half is live, then all.
  std::string lowest, highest;
  for (int i = 0; i < 60; ++i) {
    lowest += i < 14 ? " " : "█";
    highest += i < 29 ? " " : "█";
  }
  EXPECT_TRUE(has(text, "               0 │" + lowest + "\n")) << text;
  EXPECT_TRUE(has(text, "           100.0 │" + highest + "\n")) << text;
}

TEST(LogReport, ListsSeveralProcesses) {
  auto log = log_with_pauses({2, 4});
  EXPECT_TRUE(format_log(summarise_processes(log), kMachine, kUtf8).starts_with("process 7"));
  for (std::uint32_t process = 100; process < 125; ++process) {
    log.push_back(log_with_pauses({1})[0]);
    log.back().process = process;
  }
  const std::string text = format_log(summarise_processes(log), kMachine, kUtf8);
  EXPECT_TRUE(
      has(text, "\n       7           2     0.20       6.000      3.0      4.000    100.0    160.0\n"))
      << text;
  EXPECT_TRUE(has(text, "\nand 6 more\n\nprocess 7:")) << text;
}

TEST(LogReport, IsJsonForMachines) {
  auto log = log_with_pauses(std::vector<int>(12, 20));
  log.push_back(log_with_pauses({3})[0]);
  log.back().process = 8;
  const auto json = nlohmann::json::parse(log_to_json(summarise_processes(log), kMachine));
  ASSERT_EQ(json["processes"].size(), 2U);
  const auto& process = json["processes"][0];
  EXPECT_EQ(process["pid"], 7);
  EXPECT_EQ(process["collections"], 12);
  EXPECT_EQ(process["begin_ms"], 0.0);
  EXPECT_EQ(process["end_ms"], 1200.0);
  EXPECT_EQ(process["paused_percent"], 20.0);
  EXPECT_EQ(process["pauses"]["p99_ms"], 20.0);
  EXPECT_EQ(process["live_bytes"], 100 << 20);
  EXPECT_EQ(process["kinds"][0]["kind"], "stopping");
  EXPECT_EQ(process["kinds"][0]["pauses"]["total_ms"], 240.0);
  EXPECT_EQ(process["advice"][1]["setting"], "JACKDAW_CONCURRENT=1");
  EXPECT_EQ(json["processes"][1]["advice"].size(), 0U);
  EXPECT_EQ(json["processes"][1]["no_advice"], "it needs 10 collections, and there are 1");
}

}  // namespace
}  // namespace jackdaw::tools
