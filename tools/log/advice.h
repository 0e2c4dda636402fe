// Advice drawn from a collection log. docs/command.md has the rules: each needs data that support it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/log/process_summary.h"

namespace jackdaw::tools {

/// The machine that the program is to run on.
struct ProgramMachine {
  std::uint32_t processors = 1;  ///< threads that can run at once
  bool tracks_writes = false;    ///< so that objects can be marked while the program runs
};

struct Advice {
  std::string setting;  ///< as for the environment: NAME=VALUE
  std::string reason;   ///< the figures that led to it
};

/// None where nothing is wrong, or too little is known.
std::vector<Advice> advise(const ProcessSummary& process, const ProgramMachine& machine);

}  // namespace jackdaw::tools
