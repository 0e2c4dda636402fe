// `jackdaw mark`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "bench/conservative/conservative_experiment.h"
#include "bench/mark/mark_experiment.h"

namespace jackdaw::bench {

class MarkCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit MarkCommand(CLI::App& app);
  MarkCommand(const MarkCommand&) = delete;
  MarkCommand& operator=(const MarkCommand&) = delete;

  /// Runs the experiment and prints the tables. Returns the exit status: 0, or 1 when a verification failed.
  /// Throws InputError.
  int run();

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

  CLI::App* const command_;
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

/// The number of threads that `text` asks for: a number from 1 to 1024, or "auto" for the processors that
/// this process may use. Throws InputError.
std::uint32_t parse_threads(const std::string& text);

}  // namespace jackdaw::bench
