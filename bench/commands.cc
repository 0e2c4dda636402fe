// The subcommands of jackdaw that compare and simulate.
#include <memory>
#include <vector>

#include "bench/limit/limit_command.h"
#include "bench/mark/mark_command.h"
#include "bench/queue/queue_command.h"
#include "bench/simulate/simulate_command.h"
#include "tools/command/command.h"

namespace jackdaw::tools {

std::vector<std::unique_ptr<Command>> make_benchmark_commands(CLI::App& app) {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<bench::MarkCommand>(app));
  commands.push_back(std::make_unique<bench::QueueCommand>(app));
  commands.push_back(std::make_unique<bench::LimitCommand>(app));
  commands.push_back(std::make_unique<bench::SimulateCommand>(app));
  return commands;
}

}  // namespace jackdaw::tools
