// `jackdaw dump`: its options and their execution.
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "tools/command/command.h"

namespace jackdaw::tools {

class DumpCommand final : public Command {
 public:
  explicit DumpCommand(CLI::App& app);

  /// Has a running program write a heap dump, and puts it into a file. Returns the exit status, 0. Throws
  /// InputError.
  int run() override;
  [[nodiscard]] std::string_view example() const override { return "jackdaw dump 4321 -o heap.dump"; }

 private:
  pid_t process_ = 0;
  std::string path_;
  double seconds_ = 60;
};

}  // namespace jackdaw::tools
