// The report of `jackdaw profile`: which places in a program allocate most, and what of it is alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/profile/profile_file.h"

namespace jackdaw::tools {

/// A place in the program, with all that it allocated.
struct AllocationSite {
  std::string name;  ///< "function (file:line)", as far as the program's files tell
  std::string caller;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t live_objects = 0;
  std::uint64_t live_bytes = 0;
};

/// The order of the sites, the largest first.
enum class SiteOrder { allocated, live };

/// Returns the places that called the collector, by function and line. `caller` is that of the stack which
/// allocated most.
std::vector<AllocationSite> allocation_sites(const ProfileFile& profile, SiteOrder order);

/// Formats the first `most` sites as a table. Ends with a newline.
std::string format_profile(const ProfileFile& profile, const std::vector<AllocationSite>& sites,
                           std::size_t most);
/// Formats all sites, with the keys that docs/command.md lists. Ends with a newline.
std::string profile_to_json(const ProfileFile& profile, const std::vector<AllocationSite>& sites);

}  // namespace jackdaw::tools
