// `jackdaw profile`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "tools/command/command.h"

namespace jackdaw::tools {

class ProfileCommand final : public Command {
 public:
  explicit ProfileCommand(CLI::App& app);

  /// Reads the profile and prints its report. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw profile program.pb"; }

 private:
  std::string path_;
  std::size_t most_ = 20;
  bool by_live_ = false;
  std::string named_path_;
  std::string json_path_;
};

}  // namespace jackdaw::tools
