// The jackdaw command.
//
// Exit statuses: 0 all went well; 1 a verification found a difference; 2 the input was bad, with one line on
// stderr. `jackdaw run` has the program's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "bench/command/input_error.h"
#include "bench/command/printable_name.h"
#include "bench/inspect/heap_command.h"
#include "bench/limit/limit_command.h"
#include "bench/log/log_command.h"
#include "bench/mark/mark_command.h"
#include "bench/queue/queue_command.h"
#include "bench/report/report_command.h"
#include "bench/run/run_command.h"
#include "bench/simulate/simulate_command.h"
#include "bench/topology/topology_command.h"

namespace {

constexpr int kBadInput = 2;

int complain(const std::string& what) {
  fmt::print(stderr, "jackdaw: {}\n", jackdaw::bench::printable(what));
  return kBadInput;
}

// Whether the command line ended where a subcommand had to follow.
bool lacks_subcommand(const CLI::App& app) {
  const CLI::App* last = &app;
  while (!last->get_subcommands().empty()) last = last->get_subcommands().front();
  return last->get_require_subcommand_min() > 0;
}

int run(int argc, char** argv) {
  CLI::App app("Jackdaw: a parallel marking engine for garbage collectors, and what it does on real heaps",
               "jackdaw");
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  jackdaw run guile script.scm\n"
      "  jackdaw log gc.log\n"
      "  jackdaw mark tree:21 --threads 2\n"
      "  jackdaw heap dump:heap.dump\n"
      "  jackdaw report before.json after.json -o report.html\n"
      "  jackdaw queue single\n"
      "  jackdaw limit\n"
      "  jackdaw simulate tree:20 --workers 1,8,64\n"
      "  jackdaw topology\n"
      "See jackdaw mark --help, and so on, for all that they can do.\n");
  app.set_version_flag("--version", JACKDAW_VERSION);
  jackdaw::bench::RunCommand program(app);
  jackdaw::bench::LogCommand log(app);
  jackdaw::bench::MarkCommand mark(app);
  jackdaw::bench::HeapCommand heap(app);
  jackdaw::bench::ReportCommand report(app);
  jackdaw::bench::QueueCommand queue(app);
  jackdaw::bench::LimitCommand limit(app);
  jackdaw::bench::SimulateCommand simulate(app);
  jackdaw::bench::TopologyCommand topology(app);
  try {
    app.parse(program.take_program(argc, argv), argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    // The library would ask for a subcommand, whatever was given instead of one.
    const std::vector<std::string> unknown = app.remaining(true);
    if (lacks_subcommand(app) && !unknown.empty()) {
      return complain(fmt::format("unknown command or option '{}' (see jackdaw --help)", unknown.front()));
    }
    return complain(fmt::format("{} (see jackdaw --help)", error.what()));
  }
  const int status = program.chosen()    ? program.run()
                     : heap.chosen()     ? heap.run()
                     : log.chosen()      ? log.run()
                     : report.chosen()   ? report.run()
                     : queue.chosen()    ? queue.run()
                     : limit.chosen()    ? limit.run()
                     : simulate.chosen() ? simulate.run()
                     : topology.chosen() ? topology.run()
                                         : mark.run();
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
  } catch (const jackdaw::bench::InputError& error) {
    return complain(error.what());
  } catch (const std::bad_alloc&) {
    return complain("out of memory; take a smaller graph, or fewer or smaller queues");
  }
}
