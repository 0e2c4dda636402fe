// `jackdaw queue`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <string_view>

#include "bench/queue/queue_experiment.h"
#include "tools/command/command.h"

namespace jackdaw::bench {

class QueueCommand final : public tools::Command {
 public:
  explicit QueueCommand(CLI::App& app);

  /// Runs the experiment and prints the table. Returns the exit status: 0, or 1 when a queue lost or doubled
  /// tasks. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw queue single"; }

 private:
  // One experiment's subcommand.
  struct Experiment {
    CLI::App* command = nullptr;
    QueueExperimentOptions options;
    std::string threads = "auto";
    std::string csv_path;
    std::string json_path;
  };

  void add_single();
  void add_thief();
  void add_pool();
  static void add_common_options(Experiment& experiment);
  Experiment& add(QueueExperiment kind, double seconds, const std::string& description,
                  const std::string& example);
  static int run(Experiment& experiment);

  std::array<Experiment, 3> experiments_;
};

}  // namespace jackdaw::bench
