// Command: a subcommand of jackdaw.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace jackdaw::tools {

/// Adds itself to an app, which fills in its options when it parses. It must outlive the parsing.
class Command {
 public:
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Whether the command line was for this subcommand.
  [[nodiscard]] bool chosen() const { return command_->parsed(); }
  /// Returns a command line for `jackdaw --help`.
  [[nodiscard]] virtual std::string_view example() const = 0;
  /// Does what the options say and prints the results. Returns the exit status. Throws InputError.
  virtual int run() = 0;

 protected:
  Command(CLI::App& app, const std::string& name, const std::string& description)
      : command_(app.add_subcommand(name, description)) {}

  // NOLINTNEXTLINE(cppcoreguidelines-non-private-member-variables-in-classes)
  CLI::App* const command_;
};

/// Returns the subcommands that compare and simulate, where bench/ was built; otherwise none.
std::vector<std::unique_ptr<Command>> make_benchmark_commands(CLI::App& app);

}  // namespace jackdaw::tools
