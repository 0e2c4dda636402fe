// `jackdaw queue`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <string>

#include "bench/queue/queue_experiment.h"

namespace jackdaw::bench {

class QueueCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit QueueCommand(CLI::App& app);
  QueueCommand(const QueueCommand&) = delete;
  QueueCommand& operator=(const QueueCommand&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Runs the experiment and prints the table. Returns the exit status: 0, or 1 when a queue lost or doubled
  /// tasks. Throws InputError.
  int run();

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

  CLI::App* command_;
  std::array<Experiment, 3> experiments_;
};

}  // namespace jackdaw::bench
