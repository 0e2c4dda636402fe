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
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/command/command.h"
#include "tools/command/input_error.h"
#include "tools/command/printable_name.h"
#include "tools/heap/heap_command.h"
#include "tools/log/log_command.h"
#include "tools/report/report_command.h"
#include "tools/run/run_command.h"
#include "tools/topology/topology_command.h"

namespace {

constexpr int kBadInput = 2;

int complain(const std::string& what) {
  fmt::print(stderr, "jackdaw: {}\n", jackdaw::tools::printable(what));
  return kBadInput;
}

// Whether the command line ended where a subcommand had to follow.
bool lacks_subcommand(const CLI::App& app) {
  const CLI::App* last = &app;
  while (!last->get_subcommands().empty()) last = last->get_subcommands().front();
  return last->get_require_subcommand_min() > 0;
}

std::string examples_of(const std::vector<std::unique_ptr<jackdaw::tools::Command>>& commands) {
  std::string text = "Examples:\n";
  for (const auto& command : commands) text += fmt::format("  {}\n", command->example());
  return text + "See jackdaw run --help, and so on, for all that they can do.\n";
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
  commands.push_back(std::make_unique<LogCommand>(app));
  commands.push_back(std::make_unique<HeapCommand>(app));
  commands.push_back(std::make_unique<ReportCommand>(app));
  commands.push_back(std::make_unique<TopologyCommand>(app));
  for (std::unique_ptr<Command>& command : make_benchmark_commands(app))
    commands.push_back(std::move(command));
  app.footer(examples_of(commands));
  try {
    app.parse(program.take_program(argc, argv), argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    // The library would ask for a subcommand, whatever was given in its place.
    const std::vector<std::string> unknown = app.remaining(true);
    if (lacks_subcommand(app) && !unknown.empty()) {
      return complain(fmt::format("unknown command or option '{}' (see jackdaw --help)", unknown.front()));
    }
    return complain(fmt::format("{} (see jackdaw --help)", error.what()));
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
