// `jackdaw heap`: its options and their execution.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/command.h"

namespace jackdaw::tools {

class HeapCommand final : public Command {
 public:
  explicit HeapCommand(CLI::App& app);

  /// Reads the heap and prints what the options ask for. Returns the exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw heap dump:heap.dump"; }

 private:
  [[nodiscard]] int convert() const;

  std::string heap_;
  std::string why_;
  std::size_t most_ = 20;
  std::string json_path_;
  std::vector<std::string> to_;  // a format and a file
};

}  // namespace jackdaw::tools
