// `jackdaw log`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace jackdaw::bench {

class LogCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit LogCommand(CLI::App& app);
  LogCommand(const LogCommand&) = delete;
  LogCommand& operator=(const LogCommand&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Reads the log and prints what it says. Returns the exit status, 0. Throws InputError.
  int run();

 private:
  CLI::App* command_;
  std::string log_path_;
  std::string json_path_;
};

}  // namespace jackdaw::bench
