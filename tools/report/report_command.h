// `jackdaw report`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/command.h"

namespace jackdaw::tools {

class ReportCommand final : public Command {
 public:
  explicit ReportCommand(CLI::App& app);

  /// Reads the results and writes the report. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override {
    return "jackdaw report before.json after.json -o report.html";
  }

 private:
  std::vector<std::string> results_;
  std::string output_;
};

}  // namespace jackdaw::tools
