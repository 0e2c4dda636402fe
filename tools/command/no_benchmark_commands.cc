// This file replaces bench/commands.cc where bench/ is not built.
#include "tools/command/command.h"

namespace jackdaw::tools {

std::vector<std::unique_ptr<Command>> make_benchmark_commands(CLI::App&) { return {}; }

}  // namespace jackdaw::tools
