// The jackdaw command.
//
// Exit statuses: 0 all went well; 1 a verification found a difference; 2 the input was bad, with one line on stderr.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/input_error.h"
#include "bench/mark_command.h"

namespace {

constexpr int kBadInput = 2;

int complain(const std::string& what) {
  fmt::print(stderr, "jackdaw: {}\n", what);
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App app("Jackdaw: a parallel marking engine for garbage collectors, and what it does on real heaps", "jackdaw");
  app.require_subcommand(1);
  app.set_version_flag("--version", JACKDAW_VERSION);
  jackdaw::bench::MarkCommand mark(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return complain(fmt::format("{} (see jackdaw --help)", error.what()));
  }
  return mark.run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const jackdaw::bench::InputError& error) {
    return complain(error.what());
  } catch (const std::bad_alloc&) {
    return complain("out of memory; take a smaller graph");
  }
}
