// The flame graph: the calls of an allocation profile as a tree, for the report's page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tools/profile/profile_file.h"

namespace jackdaw::tools {

/// Returns a result of the kind "profile": `every_bytes`; `names`; `frames`, each behind its caller and
/// before the caller's next one, with `name` (a number in `names`), `depth`, `bytes`, `objects`, `live_bytes`
/// and `live_objects`, all with what it called. The first frame, of depth 0, is that of all calls; frames
/// with one caller are sorted by bytes, the largest first. The collector's own calls are left out.
nlohmann::json flame_graph(const ProfileFile& profile);

}  // namespace jackdaw::tools
