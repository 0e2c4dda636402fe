// `jackdaw run`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace jackdaw::bench {

class RunCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit RunCommand(CLI::App& app);
  RunCommand(const RunCommand&) = delete;
  RunCommand& operator=(const RunCommand&) = delete;

  /// Keeps the program and its arguments, whose options are not ours, when the command line is for this
  /// subcommand. Returns how many words are left to be parsed.
  int take_program(int argc, char** argv);

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Becomes the program, which finds Jackdaw in libgc's place; with --stats waits for its end and returns
  /// its exit status, 128 and the signal's number when a signal ended it. Throws InputError when it cannot be
  /// run so.
  int run();

 private:
  CLI::App* command_;
  std::vector<std::string> program_;
  std::string markers_;
  std::string log_path_;
  bool statistics_ = false;
  bool force_ = false;
};

}  // namespace jackdaw::bench
