// `jackdaw mark`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "bench/mark/conservative_experiment.h"
#include "bench/mark/mark_experiment.h"
#include "tools/command/command.h"

namespace jackdaw::bench {

class MarkCommand final : public tools::Command {
 public:
  explicit MarkCommand(CLI::App& app);

  /// Runs the experiment and prints the tables. Returns the exit status: 0, or 1 when a verification failed.
  /// Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw mark tree:21 --threads 2"; }

 private:
  void add_engine_options();
  void add_tuning_options();
  void add_measuring_options();
  void add_object_options();
  void check_libgc() const;
  [[nodiscard]] MarkExperimentOptions typed_options() const;
  [[nodiscard]] ConservativeExperimentOptions conservative_options() const;
  template <typename Experiment, typename Options>
  int run_and_report(Experiment experiment, const Options& options) const;

  MarkExperimentOptions options_;
  std::string interface_ = "typed";
  std::optional<unsigned> displacements_;
  std::string threads_ = "auto";
  std::string grant_ = "early";
  std::string binding_ = "auto";
  std::string memory_ = "auto";
  std::string json_path_;
  std::string report_path_;
};

}  // namespace jackdaw::bench
