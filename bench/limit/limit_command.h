// `jackdaw limit`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "bench/limit/limit_experiment.h"
#include "tools/command/command.h"

namespace jackdaw::bench {

class LimitCommand final : public tools::Command {
 public:
  explicit LimitCommand(CLI::App& app);

  /// Measures and prints the table. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw limit"; }

 private:
  LimitOptions options_;
  std::string threads_ = "auto";
  std::string json_path_;
};

}  // namespace jackdaw::bench
