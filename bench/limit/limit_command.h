// `jackdaw limit`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bench/limit/limit_experiment.h"

namespace jackdaw::bench {

class LimitCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit LimitCommand(CLI::App& app);
  LimitCommand(const LimitCommand&) = delete;
  LimitCommand& operator=(const LimitCommand&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Measures and prints the table. Returns the exit status, 0. Throws InputError.
  int run();

 private:
  CLI::App* command_;
  LimitOptions options_;
  std::string threads_ = "auto";
  std::string json_path_;
};

}  // namespace jackdaw::bench
