// ProfileFile: reads an allocation profile in the format of pprof (gc/report/profile/pprof.h), without
// trusting it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/command/memory_limit.h"

namespace jackdaw::tools {

struct ProfileFile {
  /// Code that was loaded, or a part of it.
  struct Mapping {
    std::uint64_t number = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;  ///< of its start in the file
    std::uint64_t text = 0;    ///< the number of its path
    std::string path = {};
  };
  /// The objects that one stack of calls allocated.
  struct Sample {
    std::vector<std::uint64_t> addresses = {};  ///< in the calls, the innermost first
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
    std::uint64_t live_objects = 0;
    std::uint64_t live_bytes = 0;
  };

  std::vector<Mapping> mappings;
  std::vector<Sample> samples;
  std::uint64_t every = 0;  ///< bytes between two samples on average
};

/// Reads the profile at `path`, compressed by gzip or not. Throws InputError, also when it would take more
/// than `memory_limit_bytes`.
ProfileFile read_profile(const std::string& path,
                         std::uint64_t memory_limit_bytes = available_memory_bytes());

}  // namespace jackdaw::tools
