// `jackdaw log`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "tools/command/command.h"

namespace jackdaw::tools {

class LogCommand final : public Command {
 public:
  explicit LogCommand(CLI::App& app);

  /// Reads the log and prints its report. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw log gc.log"; }

 private:
  std::string log_path_;
  std::string json_path_;
};

}  // namespace jackdaw::tools
