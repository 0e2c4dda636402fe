// Advice from a collection log. docs/command.md has the rules: each needs data that support it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/log/process_summary.h"

namespace jackdaw::tools {

/// The machine that the program will run on.
struct ProgramMachine {
  std::uint32_t processors = 1;  ///< threads that can run at once
  bool tracks_writes = false;    ///< the kernel tracks writes, so that cycles are possible
};

struct Advice {
  std::string setting;  ///< for the environment: NAME=VALUE
  std::string reason;   ///< the figures that support it
};

/// Returns no advice where nothing is wrong, or too little is known.
std::vector<Advice> advise(const ProcessSummary& process, const ProgramMachine& machine);

/// Returns in words why advise() returns none for the process.
std::string why_no_advice(const ProcessSummary& process, const ProgramMachine& machine);

}  // namespace jackdaw::tools
