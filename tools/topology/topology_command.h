// `jackdaw topology`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "tools/command/command.h"

namespace jackdaw::tools {

class TopologyCommand final : public Command {
 public:
  explicit TopologyCommand(CLI::App& app);

  /// Examines the machine and prints a description. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw topology"; }

 private:
  std::string threads_ = "auto";
  std::string binding_;
  std::string json_path_;
};

}  // namespace jackdaw::tools
