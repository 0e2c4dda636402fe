// `jackdaw report`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace jackdaw::bench {

class ReportCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit ReportCommand(CLI::App& app);
  ReportCommand(const ReportCommand&) = delete;
  ReportCommand& operator=(const ReportCommand&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Reads the results and writes the report. Returns the exit status, 0. Throws InputError.
  int run();

 private:
  CLI::App* command_;
  std::vector<std::string> results_;
  std::string output_;
};

}  // namespace jackdaw::bench
