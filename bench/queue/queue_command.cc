#include "bench/queue/queue_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/queue/queue_report.h"
#include "bench/queue/queue_runners.h"
#include "bench/victims/any.h"
#include "mark/queue/block_ring.h"
#include "tools/command/input_error.h"
#include "tools/command/named_values.h"
#include "tools/command/output_file.h"
#include "tools/command/seed_option.h"
#include "tools/command/threads_option.h"

namespace jackdaw::bench {

namespace {

constexpr std::size_t kMaximumStealBatch = std::size_t{1} << 16;
constexpr std::uint32_t kMaximumRepeat = 1000;
constexpr double kMaximumSeconds = 600;
// At 100 % the owner would never get a task.
constexpr double kMaximumPercent = 99;
constexpr double kMaximumFactor = 1000;

// This keeps a whole run of the defaults below a minute.
constexpr double kSingleSeconds = 0.5;
constexpr double kThiefSeconds = 0.2;
constexpr double kPoolSeconds = 0.03;

std::vector<std::string> queue_names() {
  std::vector<std::string> names;
  for (const QueueRunner& runner : queue_runners()) names.emplace_back(runner.name);
  return names;
}

std::vector<std::string> victim_names() { return tools::strings(AnyVictim::names()); }

// A list whose items are separated by commas.
template <typename Value>
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<Value>& list,
                      const std::string& description) {
  return command.add_option(name, list, description)->delimiter(',')->allow_extra_args(false);
}

// The library's own range check accepts what is not a number.
CLI::Validator number_between(double least, double most) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return {};
        return fmt::format("'{}' must be a number from {} to {}", text, least, most);
      },
      fmt::format("{} to {}", least, most));
}

}  // namespace

QueueCommand::QueueCommand(CLI::App& app)
    : Command(app, "queue", "Measure the task queues alone, with a thief, or in a pool") {
  command_->require_subcommand(1);
  command_->footer(
      "Examples:\n"
      "  jackdaw queue single\n"
      "  jackdaw queue thief --queue bwos-lifo,abp --percent 0,10,20 --json result.json\n"
      "See jackdaw queue single --help, and so on, for the options.\n");
  add_single();
  add_thief();
  add_pool();
}

QueueCommand::Experiment& QueueCommand::add(QueueExperiment kind, double seconds,
                                            const std::string& description, const std::string& example) {
  Experiment& experiment = experiments_[static_cast<std::size_t>(kind)];
  experiment.command = command_->add_subcommand(std::string(name_of(kind)), description);
  experiment.command->footer(
      "Example:\n  " + example +
      "\n\nExit status: 0; 1 when a queue lost or doubled tasks; 2 when the input is bad.\n");
  experiment.options.experiment = kind;
  experiment.options.seconds = seconds;
  add_common_options(experiment);
  return experiment;
}

void QueueCommand::add_common_options(Experiment& experiment) {
  CLI::App& command = *experiment.command;
  QueueExperimentOptions& options = experiment.options;
  add_list(command, "--queue", options.queues,
           "Queues, separated by commas; all that can take part when left out")
      ->check(CLI::IsMember(queue_names()));
  command.add_option("--blocks", options.shape.blocks, "Blocks of each queue")
      ->check(CLI::Range(std::size_t{1}, mark::BlockRing::kMaximumBlockCount))
      ->capture_default_str();
  command.add_option("--block-size", options.shape.block_size, "Tasks of each block")
      ->check(CLI::Range(std::size_t{1}, mark::BlockRing::kMaximumBlockSize))
      ->capture_default_str();
  command.add_option("--repeat", options.repeat, "Passes over all queues and settings")
      ->check(CLI::Range(std::uint32_t{1}, kMaximumRepeat))
      ->capture_default_str();
  command.add_option("--seconds", options.seconds, "Measured time of each setting in each pass")
      ->check(number_between(1e-6, kMaximumSeconds))
      ->capture_default_str();
  command.add_option("--steal-batch", options.steal_batch, "Tasks that a thief takes at once, at most")
      ->check(CLI::Range(std::size_t{1}, kMaximumStealBatch))
      ->capture_default_str();
  tools::add_seed_option(command, options.seed, "Seed of the choice of victims in a pool");
  command.add_option("--csv", experiment.csv_path, "Write the results to this file, too")->type_name("FILE");
  command.add_option("--json", experiment.json_path, "Write the results to this file, too")
      ->type_name("FILE");
}

void QueueCommand::add_single() {
  add(QueueExperiment::single, kSingleSeconds, "One owner: it puts until full and gets until empty",
      "jackdaw queue single --queue bwos-lifo,abp --csv single.csv");
}

void QueueCommand::add_thief() {
  Experiment& experiment = add(QueueExperiment::thief, kThiefSeconds,
                               "One owner and one thief, at set percentages of stolen tasks",
                               "jackdaw queue thief --queue bwos-lifo,abp --percent 0,10,20");
  QueueExperimentOptions& options = experiment.options;
  add_list(*experiment.command, "--percent", options.percents, "Percentages of stolen tasks to come near to")
      ->check(number_between(0, kMaximumPercent))
      ->capture_default_str();
}

void QueueCommand::add_pool() {
  Experiment& experiment =
      add(QueueExperiment::pool, kPoolSeconds,
          "Workers that put until full, get until empty, and then steal from one another",
          "jackdaw queue pool --threads auto --queue bwos-lifo --victim random,best-of-two --factor 0,100");
  QueueExperimentOptions& options = experiment.options;
  options.victims = victim_names();
  add_list(*experiment.command, "--victim", options.victims, "How a worker chooses whom to steal from")
      ->check(CLI::IsMember(victim_names()))
      ->capture_default_str();
  add_list(*experiment.command, "--factor", options.factors,
           "Balancing factors: tasks to steal in a round, in percent of the capacity")
      ->check(number_between(0, kMaximumFactor))
      ->capture_default_str();
  experiment.command
      ->add_option("--threads", experiment.threads,
                   "Workers: a number from 2 on, or auto for one a usable processor, but at least 2")
      ->capture_default_str();
}

int QueueCommand::run() {
  const auto chosen = std::ranges::find_if(
      experiments_, [](const Experiment& experiment) { return experiment.command->parsed(); });
  return run(*chosen);
}

int QueueCommand::run(Experiment& experiment) {
  std::uint32_t& threads = experiment.options.threads;
  threads = tools::parse_threads(experiment.threads);
  if (experiment.threads == "auto") threads = std::max(2U, threads);
  if (threads < 2) throw tools::InputError("--threads 1: a pool has at least 2 workers");
  std::optional<tools::OutputFile> csv;
  std::optional<tools::OutputFile> json;
  if (!experiment.csv_path.empty()) csv.emplace("--csv", experiment.csv_path);
  if (!experiment.json_path.empty()) json.emplace("--json", experiment.json_path);

  const QueueReport report = run_queue_experiment(experiment.options);
  if (csv) csv->commit(to_csv(report));
  if (json) json->commit(to_json(report));
  fmt::print("{}", format_table(report));
  const std::vector<std::string> differences = report.differences();
  for (const std::string& difference : differences) fmt::print(stderr, "jackdaw: {}\n", difference);
  return differences.empty() ? 0 : 1;
}

}  // namespace jackdaw::bench
