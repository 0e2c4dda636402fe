// `jackdaw topology`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace jackdaw::bench {

class TopologyCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit TopologyCommand(CLI::App& app);
  TopologyCommand(const TopologyCommand&) = delete;
  TopologyCommand& operator=(const TopologyCommand&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Looks at the machine and prints what there is. Returns the exit status, 0. Throws InputError.
  int run();

 private:
  CLI::App* command_;
  std::string threads_ = "auto";
  std::string binding_;
  std::string json_path_;
};

}  // namespace jackdaw::bench
