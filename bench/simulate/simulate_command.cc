#include "bench/simulate/simulate_command.h"
#include "bench/engines/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "bench/simulate/simulate_report.h"
#include "gc/marking/mark_engine.h"
#include "mark/biased_regions.h"
#include "tools/command/input_error.h"
#include "tools/command/named_values.h"
#include "tools/command/output_file.h"
#include "tools/command/seed_option.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint32_t kMaximumWorkers = mark::BiasedRegions::kMaximumWorkers;
constexpr std::uint32_t kMaximumRealRuns = 10'000;
constexpr std::size_t kMaximumTasksAtOnce = 65536;
constexpr double kMaximumCost = 1e9;

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& list,
                      const std::string& help, const std::vector<std::string>& choices) {
  list = {choices.front()};
  return command.add_option(name, list, help)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(choices))
      ->capture_default_str();
}

template <typename Value>
void check_unique(std::vector<Value> list, const std::string& name) {
  std::ranges::sort(list);
  if (std::ranges::adjacent_find(list) != list.end())
    throw tools::InputError(fmt::format("{}: something is named twice", name));
}

}  // namespace

SimulateCommand::SimulateCommand(CLI::App& app)
    : Command(app, "simulate", "Predict how fast a heap graph would be marked by up to 1,024 workers") {
  command_->footer(
      "GRAPH is as for jackdaw mark.\n"
      "\nExamples:\n"
      "  jackdaw simulate tree:20 --workers 1,2,4 --validate\n"
      "  jackdaw simulate hprof:heap.hprof.gz --queue bwos-lifo,chase-lev --victim random,numa --nodes 8\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_->add_option("GRAPH", options_.graph, "The heap to mark, such as tree:21 or hprof:FILE")
      ->required();
  command_->add_option("--workers", options_.workers, "Numbers of workers")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::uint32_t{1}, kMaximumWorkers))
      ->capture_default_str();
  command_->add_option("--nodes", options_.nodes, "Memory nodes over which the workers are spread")
      ->check(CLI::Range(std::uint32_t{1}, kMaximumWorkers))
      ->capture_default_str();
  add_list(*command_, "--queue", options_.queues, "Task queues", tools::strings(simulated_queue_names()));
  add_list(*command_, "--victim", options_.victims, "How a thief chooses its victim",
           tools::strings(engine_victims()));
  command_->add_option("--steal-batch", options_.steal_batch, "Tasks that a thief takes at once, at most")
      ->check(CLI::Range(std::size_t{1}, kMaximumTasksAtOnce))
      ->capture_default_str();
  command_->add_flag("--validate", options_.validate,
                     "Mark with real threads, too, as many as there are processors, and print the error");
  command_->add_option("--repeat", options_.repeat, "Real runs of each kind")
      ->check(CLI::Range(std::uint32_t{1}, kMaximumRealRuns))
      ->capture_default_str();
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
  tools::add_seed_option(*command_, options_.seed, "Seed of random graphs and of the victim choice");
  command_
      ->add_option("--object-bytes", options_.object_bytes,
                   "Least size of a synthetic graph's objects, in bytes")
      ->capture_default_str();
  add_costs();
}

void SimulateCommand::add_costs() {
  for (std::size_t i = 0; i < kMachineCosts.size(); ++i) {
    const CostName& cost = kMachineCosts[i];
    const bool is_measured = cost.cost != &MachineCosts::remote_line;
    const std::string otherwise = is_measured ? "measured" : fmt::format("{}", MachineCosts().*cost.cost);
    command_
        ->add_option_function<double>(
            fmt::format("--{}", cost.name), [this, i](double given) { options_.given[i] = given; },
            fmt::format("In ns: {} [{}]", cost.help, otherwise))
        ->type_name("NS")
        ->check(CLI::Range(0.0, kMaximumCost))
        ->group("Costs to use instead of those measured");
  }
}

int SimulateCommand::run() {
  check_unique(options_.workers, "--workers");
  check_unique(options_.queues, "--queue");
  check_unique(options_.victims, "--victim");
  std::optional<tools::OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  const SimulateReport report = run_simulate_experiment(options_);
  if (json) json->commit(simulation_to_json(report));
  fmt::print("{}", format_simulation(report));
  return 0;
}

}  // namespace jackdaw::bench
