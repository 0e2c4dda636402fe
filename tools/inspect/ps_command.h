// `jackdaw ps`: its options and their execution.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/command.h"

namespace jackdaw::tools {

class PsCommand final : public Command {
 public:
  explicit PsCommand(CLI::App& app);

  /// Lists the programs on Jackdaw that this user may inspect. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw ps"; }

 private:
  std::vector<pid_t> numbers_;
  bool asks_ = false;
  std::string json_path_;
};

}  // namespace jackdaw::tools
