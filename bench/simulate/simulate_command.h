// `jackdaw simulate`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "bench/simulate/simulate_experiment.h"
#include "tools/command/command.h"

namespace jackdaw::bench {

class SimulateCommand final : public tools::Command {
 public:
  explicit SimulateCommand(CLI::App& app);

  /// Measures, simulates and prints the tables. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override {
    return "jackdaw simulate tree:20 --workers 1,8,64";
  }

 private:
  void add_costs();

  SimulateOptions options_;
  std::string json_path_;
};

}  // namespace jackdaw::bench
