// `jackdaw simulate`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bench/simulate/simulate_experiment.h"

namespace jackdaw::bench {

class SimulateCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit SimulateCommand(CLI::App& app);
  SimulateCommand(const SimulateCommand&) = delete;
  SimulateCommand& operator=(const SimulateCommand&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Measures, simulates and prints the tables. Returns the exit status, 0. Throws InputError.
  int run();

 private:
  void add_costs();

  CLI::App* command_;
  SimulateOptions options_;
  std::string json_path_;
};

}  // namespace jackdaw::bench
