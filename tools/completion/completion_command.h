// `jackdaw completion`: prints how bash completes the command's lines, from the description that the command
// itself reads them by.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

#include "tools/command/command.h"

namespace jackdaw::tools {

class CompletionCommand final : public Command {
 public:
  /// `app` must have all its commands when run() is called.
  explicit CompletionCommand(CLI::App& app);

  /// Prints a script for bash. Returns the exit status, 0.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return ". <(jackdaw completion)"; }

 private:
  const CLI::App& app_;
};

}  // namespace jackdaw::tools
