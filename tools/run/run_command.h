// `jackdaw run`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/command.h"

namespace jackdaw::tools {

class RunCommand final : public Command {
 public:
  explicit RunCommand(CLI::App& app);

  /// Keeps the program and its arguments, whose options are not ours, when the command line is for this
  /// subcommand. Returns how many words are left to be parsed.
  int take_program(int argc, char** argv);

  /// Becomes the program, which finds Jackdaw in libgc's place; with --stats waits for its end and returns
  /// its exit status, 128 and the signal's number when a signal ended it. Throws InputError when it cannot be
  /// run so.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw run guile script.scm"; }

 private:
  std::vector<std::string> program_;
  std::string markers_;
  std::string log_path_;
  bool statistics_ = false;
  bool force_ = false;
};

}  // namespace jackdaw::tools
