// The jackdaw command.
//
// Exit statuses: 0 for success; 1 if a verification found a difference; 2 for bad input, with one line on
// stderr. `jackdaw run` returns the program's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/command/command.h"
#include "tools/command/input_error.h"
#include "tools/command/nearest_name.h"
#include "tools/command/printable_name.h"
#include "tools/completion/completion_command.h"
#include "tools/heap/heap_command.h"
#include "tools/inspect/dump_command.h"
#include "tools/inspect/ps_command.h"
#include "tools/log/log_command.h"
#include "tools/profile/profile_command.h"
#include "tools/report/report_command.h"
#include "tools/run/run_command.h"
#include "tools/topology/topology_command.h"

namespace {

using jackdaw::tools::nearest_name;

constexpr int kBadInput = 2;

int complain(const std::string& what) {
  fmt::print(stderr, "jackdaw: {}\n", jackdaw::tools::printable(what));
  return kBadInput;
}

// Returns the last command that the command line names.
const CLI::App& last_command(const CLI::App& app) {
  const CLI::App* last = &app;
  while (!last->get_subcommands().empty()) last = last->get_subcommands().front();
  return *last;
}

// Returns a command line such as "jackdaw queue single --help".
std::string help_line(const CLI::App& command) {
  std::string line = "--help";
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent())
    line.insert(0, at->get_name() + " ");
  return line;
}

std::vector<std::string> names_for(const CLI::App& command, bool of_options) {
  std::vector<std::string> names;
  if (of_options) {
    for (const CLI::Option* const option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  } else {
    for (const CLI::App* const subcommand : command.get_subcommands(nullptr))
      names.push_back(subcommand->get_name());
  }
  return names;
}

// Says that a word is unknown, and what may have been meant.
int complain_of_word(const std::string& sort, const std::string& word, const CLI::App& command) {
  const std::string nearest = nearest_name(word, names_for(command, word.starts_with('-')));
  return complain(fmt::format("unknown {} '{}'{} (see {})", sort, word,
                              nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest),
                              help_line(command)));
}

int complain_of(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& command = last_command(app);
  const std::vector<std::string> unknown = app.remaining(true);
  // The library would ask for a subcommand, whatever was given in its place.
  const bool lacks_subcommand = command.get_require_subcommand_min() > 0;
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (unknown.empty() || (!lacks_subcommand && !is_extra))
    return complain(fmt::format("{} (see {})", error.what(), help_line(command)));
  const bool is_option = unknown.front().starts_with('-');
  return complain_of_word(is_option          ? "option"
                          : lacks_subcommand ? "command"
                                             : "argument",
                          unknown.front(), command);
}

// Prints the help of the command that the words name. Returns the exit status.
int print_help(const CLI::App& app, std::span<char* const> words) {
  const CLI::App* command = &app;
  std::string before;
  for (const std::string word : words) {
    const auto known = command->get_subcommands(nullptr);
    const auto found = std::ranges::find(known, word, &CLI::App::get_name);
    if (found == known.end()) return complain_of_word("command", word, *command);
    before += (before.empty() ? "" : " ") + command->get_name();
    command = *found;
  }
  fmt::print("{}", command->help(before));
  return 0;
}

std::string examples_of(const std::vector<std::unique_ptr<jackdaw::tools::Command>>& commands) {
  std::string text = "Examples:\n";
  for (const auto& command : commands) text += fmt::format("  {}\n", command->example());
  return text + "See jackdaw help run, and so on, for all that they can do.\n";
}

int run(int argc, char** argv) {
  using namespace jackdaw::tools;
  CLI::App app("Jackdaw: a parallel marking engine for garbage collectors, and what it does on real heaps",
               "jackdaw");
  app.require_subcommand(1);
  app.set_version_flag("--version", JACKDAW_VERSION);
  std::vector<std::unique_ptr<Command>> commands;
  auto run_command = std::make_unique<RunCommand>(app);
  RunCommand& program = *run_command;
  commands.push_back(std::move(run_command));
  commands.push_back(std::make_unique<PsCommand>(app));
  commands.push_back(std::make_unique<DumpCommand>(app));
  commands.push_back(std::make_unique<LogCommand>(app));
  commands.push_back(std::make_unique<ProfileCommand>(app));
  commands.push_back(std::make_unique<HeapCommand>(app));
  commands.push_back(std::make_unique<ReportCommand>(app));
  commands.push_back(std::make_unique<TopologyCommand>(app));
  commands.push_back(std::make_unique<CompletionCommand>(app));
  for (std::unique_ptr<Command>& command : make_benchmark_commands(app))
    commands.push_back(std::move(command));
  app.footer(examples_of(commands));
  if (argc > 1 && std::string_view(argv[1]) == "help")
    return print_help(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
  try {
    app.parse(program.take_program(argc, argv), argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return complain_of(error, app);
  }
  const auto chosen = std::ranges::find_if(commands, [](const auto& command) { return command->chosen(); });
  const int status = (*chosen)->run();
  if (std::fflush(stdout) != 0) {
    return complain(
        fmt::format("standard output cannot be written ({})", std::generic_category().message(errno)));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const jackdaw::tools::InputError& error) {
    return complain(error.what());
  } catch (const std::bad_alloc&) {
    return complain("out of memory; take a smaller graph, or fewer or smaller queues");
  }
}
