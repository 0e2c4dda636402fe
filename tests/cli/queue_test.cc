// `jackdaw queue`: what it prints, the files that it writes, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace jackdaw::cli {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

const std::set<std::string>& queues_for_thieves() {
  static const std::set<std::string> names = {"bwos-lifo", "bwos-fifo",       "abp", "chase-lev", "locked",
                                              "tbb-queue", "xenium-chase-lev"};
  return names;
}
const std::set<std::string>& sequential_queues() {
  static const std::set<std::string> names = {"sequential-lifo", "sequential-fifo"};
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::uint64_t count_of(const json& result, const std::string& key) {
  return result[key].get<std::uint64_t>();
}

// Whatever was measured, a result has these keys and its figures agree with one another.
void expect_queue_result(const json& result, std::size_t repeat) {
  for (const std::string key :
       {"threads", "steal_percent", "ns_per_op", "ops_per_second", "ratio_to_sequential", "puts", "gets",
        "steals", "steals_empty", "steals_contended", "left"}) {
    ASSERT_TRUE(result.contains(key)) << key;
    EXPECT_TRUE(result[key].is_number()) << key;
    EXPECT_GE(result[key].get<double>(), 0) << key;
  }
  for (const std::string key : {"victim", "steal_percent_wanted", "balancing_factor", "gets_per_round"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_EQ(result["conserved"], true);
  EXPECT_EQ(count_of(result, "puts"),
            count_of(result, "gets") + count_of(result, "steals") + count_of(result, "left"));
  const auto taken = static_cast<double>(count_of(result, "gets") + count_of(result, "steals"));
  EXPECT_NEAR(result["steal_percent"].get<double>(),
              100 * static_cast<double>(count_of(result, "steals")) / taken, 1e-9);
  EXPECT_NEAR(result["ops_per_second"].get<double>() * result["ns_per_op"].get<double>(), 1e9, 1);
  std::vector<double> runs = result["runs"].get<std::vector<double>>();
  ASSERT_EQ(runs.size(), repeat);
  std::sort(runs.begin(), runs.end());
  EXPECT_DOUBLE_EQ(result["ns_per_op"].get<double>(), (runs[(repeat - 1) / 2] + runs[repeat / 2]) / 2);
}

class QueueCommand : public testing::Test {
 protected:
  // Runs the experiment in small, with --json and --csv added, expects success and gives the JSON.
  json queue(const std::string& experiment, const Arguments& options) {
    Arguments arguments = {"queue",     experiment,
                           "--seconds", "0.0005",
                           "--json",    folder_.file("result.json"),
                           "--csv",     folder_.file("result.csv")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string words = testing::PrintToString(arguments);
    outcome_ = run_jackdaw(arguments);
    EXPECT_EQ(outcome_.status, 0) << words << outcome_.err;
    EXPECT_EQ(outcome_.err, "") << words;
    if (outcome_.status != 0) return {};
    EXPECT_EQ(folder_.contents(), (std::vector<std::string>{"result.csv", "result.json"})) << words;
    json result = json::parse(read_file(folder_.file("result.json")));
    EXPECT_EQ(result["experiment"], experiment);
    for (const json& row : result["results"]) expect_queue_result(row, result["repeat"].get<std::size_t>());
    expect_same_in_csv_and_table(result);
    return result;
  }

  void expect_same_in_csv_and_table(const json& result) {
    const std::vector<std::string> csv = lines_of(read_file(folder_.file("result.csv")));
    const std::vector<std::string> table = lines_of(outcome_.out);
    const std::size_t rows = result["results"].size();
    ASSERT_EQ(csv.size(), rows + 1);
    ASSERT_EQ(table.size(), rows + 4) << outcome_.out;
    EXPECT_TRUE(csv[0].starts_with("experiment,queue,victim,threads,")) << csv[0];
    const auto commas = std::count(csv[0].begin(), csv[0].end(), ',');
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string queue = result["results"][i]["queue"].get<std::string>();
      EXPECT_EQ(std::count(csv[i + 1].begin(), csv[i + 1].end(), ','), commas) << csv[i + 1];
      EXPECT_NE(csv[i + 1].find("," + queue + ","), std::string::npos) << csv[i + 1];
      EXPECT_TRUE(table[i + 4].starts_with(queue + " ")) << table[i + 4];
    }
  }

  // Runs `queue` with --json and --csv added. `named`: what the complaint must mention.
  void expect_refused(Arguments arguments, const std::string& named) {
    const std::string words = testing::PrintToString(arguments);
    arguments.insert(arguments.begin(), "queue");
    if (arguments.size() > 1) {
      arguments.insert(arguments.end(),
                       {"--json", folder_.file("result.json"), "--csv", folder_.file("result.csv")});
    }
    const Outcome outcome = run_jackdaw(arguments);
    EXPECT_EQ(outcome.status, 2) << words << outcome.err;
    EXPECT_EQ(outcome.out, "") << words;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << words << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("jackdaw: ")) << words << outcome.err;
    EXPECT_NE(outcome.err.find(named), std::string::npos) << words << outcome.err;
    EXPECT_TRUE(folder_.contents().empty()) << words << ": neither a result nor a part of one is left";
  }

  TemporaryFolder folder_;
  Outcome outcome_;
};

TEST_F(QueueCommand, SingleMeasuresEveryQueue) {
  const json result = queue("single", {"--repeat", "2"});
  std::set<std::string> names;
  for (const json& row : result["results"]) {
    names.insert(row["queue"].get<std::string>());
    EXPECT_EQ(row["experiment"], "single");
    EXPECT_EQ(row["threads"], 1);
    EXPECT_EQ(count_of(row, "steals"), 0U);
    EXPECT_TRUE(row["victim"].is_null());
  }
  std::set<std::string> all = queues_for_thieves();
  all.insert(sequential_queues().begin(), sequential_queues().end());
  EXPECT_EQ(names, all);
  EXPECT_EQ(result["results"].size(), all.size()) << "each once";
  EXPECT_EQ(result["capacity"], 8192);
}

TEST_F(QueueCommand, ThiefMeasuresEveryQueueThatServesThievesAtEveryPercentage) {
  const json result = queue("thief", {"--repeat", "3", "--percent", "0,25.5"});
  ASSERT_EQ(result["results"].size(), 2 + 2 * (1 + queues_for_thieves().size()));
  for (const json& row : result["results"]) {
    const bool is_bound = sequential_queues().contains(row["queue"].get<std::string>());
    EXPECT_EQ(row["experiment"], is_bound ? "single" : "thief");
    EXPECT_EQ(row["threads"], is_bound ? 1 : 2);
    if (is_bound) continue;
    const std::string name = row["queue"].get<std::string>();
    EXPECT_TRUE(name == "read-array" || queues_for_thieves().contains(name)) << name;
    const double wanted = row["steal_percent_wanted"].get<double>();
    EXPECT_TRUE(wanted == 0 || wanted == 25.5) << wanted;
    if (wanted == 0) {
      EXPECT_EQ(count_of(row, "steals"), 0U);
    }
  }
}

TEST_F(QueueCommand, PoolMeasuresEveryVictimPolicyAtEveryFactor) {
  const json result = queue(
      "pool", {"--repeat", "1", "--queue", "abp,bwos-lifo", "--victim", "random,best-of-two,random-prob",
               "--factor", "0,50", "--threads", "3", "--steal-batch", "8", "--seed", "7"});
  ASSERT_EQ(result["results"].size(), 2 + 2 * 3 * 2);
  std::set<std::string> settings;
  for (const json& row : result["results"]) {
    if (row["experiment"] == "single") continue;
    EXPECT_EQ(row["experiment"], "pool");
    EXPECT_EQ(row["threads"], 3);
    settings.insert(row["queue"].get<std::string>() + row["victim"].get<std::string>() +
                    row["balancing_factor"].dump());
    if (row["balancing_factor"] == 0) {
      EXPECT_EQ(count_of(row, "steals"), 0U);
    }
  }
  EXPECT_EQ(settings.size(), 12U);
  EXPECT_EQ(result["steal_batch"], 8);
  EXPECT_EQ(result["seed"], 7);
}

TEST_F(QueueCommand, PoolKnowsAllVictimPoliciesByDefault) {
  const json result = queue("pool", {"--repeat", "1", "--queue", "bwos-fifo", "--factor", "100"});
  std::set<std::string> victims;
  for (const json& row : result["results"]) {
    if (row["victim"].is_string()) victims.insert(row["victim"].get<std::string>());
  }
  EXPECT_EQ(victims.size() + 2, result["results"].size());
  EXPECT_TRUE(victims.contains("random") && victims.contains("random-prob"));
}

TEST_F(QueueCommand, MeasuresTheBoundsWithAnyQueueAndInAnyShape) {
  const json result =
      queue("single", {"--repeat", "1", "--queue", "bwos-fifo", "--blocks", "3", "--block-size", "7"});
  ASSERT_EQ(result["results"].size(), 3U);
  EXPECT_EQ(result["capacity"], 21);
  EXPECT_DOUBLE_EQ(
      result["results"][2]["ratio_to_sequential"].get<double>(),
      result["results"][2]["ns_per_op"].get<double>() / result["results"][1]["ns_per_op"].get<double>());
}

TEST_F(QueueCommand, WithoutFilesPrintsATable) {
  const Outcome outcome =
      run_jackdaw({"queue", "single", "--seconds", "0.0005", "--repeat", "1", "--queue", "abp"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines_of(outcome.out).size(), 7U) << outcome.out;
}

TEST_F(QueueCommand, RefusesWrongCommands) {
  expect_refused({}, "subcommand");
  expect_refused({"double"}, "double");
  expect_refused({"single", "extra"}, "extra");
  expect_refused({"single", "--no-such-option"}, "--no-such-option");
  expect_refused({"single", "--percent", "10"}, "--percent");
  expect_refused({"thief", "--victim", "random"}, "--victim");
}

TEST_F(QueueCommand, RefusesNamesThatItDoesNotKnow) {
  for (const std::string experiment : {"single", "thief", "pool"}) {
    expect_refused({experiment, "--queue", "nope"}, "nope");
    expect_refused({experiment, "--queue", "abp,nope"}, "nope");
    expect_refused({experiment, "--queue", ""}, "--queue");
    expect_refused({experiment, "--queue"}, "--queue");
  }
  expect_refused({"pool", "--victim", "nobody"}, "nobody");
}

TEST_F(QueueCommand, RefusesQueuesThatServeNoThievesAndSizesThatDoNotFit) {
  expect_refused({"thief", "--queue", "sequential-lifo"}, "sequential-lifo");
  expect_refused({"pool", "--queue", "abp,sequential-fifo"}, "sequential-fifo");
  expect_refused({"single", "--queue", "bwos-lifo", "--blocks", "1"}, "bwos-lifo");
  expect_refused({"single", "--queue", "xenium-chase-lev", "--blocks", "9"}, "xenium-chase-lev");
}

TEST_F(QueueCommand, RefusesNumbersOutOfRange) {
  const std::vector<Arguments> wrong = {
      {"single", "--blocks", "0"},     {"single", "--blocks", "65537"},  {"single", "--blocks", "x"},
      {"single", "--block-size", "0"}, {"single", "--block-size", "-1"}, {"single", "--repeat", "0"},
      {"single", "--repeat", "-3"},    {"single", "--seconds", "0"},     {"single", "--seconds", "-1"},
      {"single", "--seconds", "nan"},  {"single", "--seconds", "1e9"},   {"thief", "--percent", "100"},
      {"thief", "--percent", "-1"},    {"thief", "--percent", "nan"},    {"thief", "--percent", "ten"},
      {"thief", "--percent", ""},      {"thief", "--steal-batch", "0"},  {"thief", "--steal-batch", "70000"},
      {"pool", "--factor", "-1"},      {"pool", "--factor", "inf"},      {"pool", "--threads", "0"},
      {"pool", "--threads", "1"},      {"pool", "--threads", "many"},    {"pool", "--threads", "99999"},
      {"single", "--seed", "x"}};
  for (const Arguments& arguments : wrong) expect_refused(arguments, arguments[1]);
}

TEST_F(QueueCommand, RefusesFilesThatCannotBeWritten) {
  for (const std::string option : {"--json", "--csv"}) {
    const Outcome outcome = run_jackdaw({"queue", "single", option, folder_.file("missing/result")});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(option), std::string::npos) << outcome.err;
  }
}

TEST_F(QueueCommand, HelpNamesEveryOptionAndAnExample) {
  const std::vector<std::string> common = {"--queue",  "--blocks",  "--block-size", "--steal-batch",
                                           "--repeat", "--seconds", "--seed",       "--csv",
                                           "--json",   "bwos-lifo", "Example"};
  const auto expect_words = [](const Arguments& arguments, const std::vector<std::string>& words) {
    const Outcome outcome = run_jackdaw(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    for (const std::string& word : words)
      EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " is missing in\n" << outcome.out;
  };
  expect_words({"--help"}, {"queue", "jackdaw queue single"});
  expect_words({"queue", "--help"}, {"single", "thief", "pool", "jackdaw queue thief"});
  for (const std::string experiment : {"single", "thief", "pool"}) {
    expect_words({"queue", experiment, "--help"}, common);
    expect_words({"queue", experiment, "--help"}, {"jackdaw queue " + experiment});
  }
  expect_words({"queue", "thief", "--help"}, {"--percent"});
  expect_words({"queue", "pool", "--help"}, {"--victim", "--factor", "--threads", "random-prob"});
}

}  // namespace
}  // namespace jackdaw::cli
