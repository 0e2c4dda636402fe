// `jackdaw profile`: its options and their execution.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/command/command.h"

namespace jackdaw::tools {

class ProfileCommand final : public Command {
 public:
  explicit ProfileCommand(CLI::App& app);

  /// Reads the profile, which a running program may have to take first, and prints its report. Returns the
  /// exit status, 0. Throws InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw profile program.pb"; }

 private:
  void take_profile() const;

  std::string path_;
  pid_t process_ = 0;  // 0: the file is there
  double seconds_ = 10;
  std::uint64_t every_ = 512 << 10;
  double patience_ = 60;
  std::size_t most_ = 20;
  bool by_live_ = false;
  std::string named_path_;
  std::string json_path_;
};

}  // namespace jackdaw::tools
