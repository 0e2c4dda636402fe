// `jackdaw run`: its options and their execution.
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

  /// Takes the program and its arguments, which must not be parsed as options, if the command line is for
  /// this subcommand. Returns how many words are left to be parsed.
  int take_program(int argc, char** argv);

  /// Replaces this process by the program, which finds Jackdaw in libgc's place. With --stats it waits for
  /// the program's end and returns its exit status, or 128 plus the signal's number. Throws InputError when
  /// it cannot be run so.
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
