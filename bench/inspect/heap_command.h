// `jackdaw heap`: its options, and what it does with them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace jackdaw::bench {

class HeapCommand {
 public:
  /// Adds the subcommand to `app`, which fills in the options when it parses. Must outlive the parsing.
  explicit HeapCommand(CLI::App& app);
  HeapCommand(const HeapCommand&) = delete;
  HeapCommand& operator=(const HeapCommand&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Reads the heap and prints what was asked for. Returns the exit status, 0. Throws InputError.
  int run();

 private:
  [[nodiscard]] int convert() const;

  CLI::App* command_;
  std::string heap_;
  std::string why_;
  std::size_t most_ = 20;
  std::string json_path_;
  std::vector<std::string> to_;  // a format and a file
};

}  // namespace jackdaw::bench
