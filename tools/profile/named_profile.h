// The named profile: a profile with its functions and lines in it, for programs that do not read them from
// files.
#pragma once

#include <string>

#include "tools/profile/profile_file.h"

namespace jackdaw::tools {

/// Returns the profile in pprof's format, compressed by gzip. Throws std::bad_alloc.
std::string named_profile(const ProfileFile& profile);

}  // namespace jackdaw::tools
